/** What a language brings along for articles to be written in it. */
import type { City } from './cities.ts';
import type { Topic } from './topics.ts';

export type Language = 'en' | 'fr' | 'de';

export const KINDS = ['essay', 'report', 'interview', 'review', 'guide', 'portrait', 'letter'] as const;
export type Kind = (typeof KINDS)[number];

/**
 * Templates. Titles, leads and the lists in `shared` have the same length in each language and say the same at the
 * same place, so that a translation carries over. `pools` fill the slots of body sentences, freshly each time.
 */
export interface Tongue {
  titles: Record<Kind, string[]>;
  leads: string[];
  shared: { abstract: string[]; saying: string[]; book: string[]; season: string[]; count: string[] };
  headings: string[];
  openings: string[];
  middles: string[];
  /** Middles for topics with doors and a roof. */
  indoors: string[];
  speeches: string[];
  closings: string[];
  pools: Record<string, string[]>;
  /** Slots made from the topic and the two cities, by the rules of the language. */
  forms(topic: Topic, city: City, elsewhere: City): Record<string, string>;
}
