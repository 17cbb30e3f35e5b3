/** Writes titles, leads and bodies about a subject, in any of the three languages. */
import { CITIES, type City } from './cities.ts';
import { ENGLISH } from './english.ts';
import { FRENCH } from './french.ts';
import { GERMAN } from './german.ts';
import { type Person, person } from './names.ts';
import { Deck, type Random } from './random.ts';
import { capitalise, fill, sentenceCase, titleCase } from './text.ts';
import type { Kind, Language, Tongue } from './tongue.ts';
import { TOPICS, type Topic } from './topics.ts';

const TONGUES: Record<Language, Tongue> = { en: ENGLISH, fr: FRENCH, de: GERMAN };

/** What an article is about; the same in each language. The numbers choose templates and shared words. */
export interface Subject {
  kind: Kind;
  topic: Topic;
  city: City;
  elsewhere: City;
  person: Person;
  other: Person;
  /** Numbers that titles and leads name, so that each language names the same. */
  year: number;
  years: number;
  big: number;
  title: number;
  lead: number;
  shared: number;
}

export function subject(random: Random, kind: Kind, topicIndex: number): Subject {
  const city = random.pick(CITIES);
  const elsewhere = CITIES[(CITIES.indexOf(city) + random.integer(1, CITIES.length - 1)) % CITIES.length];
  const first = person(random, city.culture);
  // after the first mention only last names tell the two apart
  let other = first;
  while (other.last === first.last) other = person(random, city.culture);
  return {
    kind,
    topic: TOPICS[topicIndex],
    city,
    elsewhere,
    person: first,
    other,
    year: random.integer(1961, 2019),
    years: random.integer(12, 48),
    big: random.integer(21, 380),
    title: random.integer(0, ENGLISH.titles[kind].length - 1),
    lead: random.integer(0, ENGLISH.leads.length - 1),
    shared: random.integer(0, 119),
  };
}

/** Resolves slots. A person is named in full at the first mention and by the last name afterwards. */
function slots(about: Subject, language: Language, random: Random): (slot: string) => string | undefined {
  const tongue = TONGUES[language];
  const shared = (list: string[]) => list[about.shared % list.length];
  const upper = language === 'en' ? titleCase : capitalise;
  const fixed: Record<string, string> = {
    ...tongue.forms(about.topic, about.city, about.elsewhere),
    elsewhere: about.elsewhere.name[language],
    abstract: shared(tongue.shared.abstract),
    Abstract: upper(shared(tongue.shared.abstract)),
    saying: shared(tongue.shared.saying),
    book: shared(tongue.shared.book),
    season: shared(tongue.shared.season),
    Season: capitalise(shared(tongue.shared.season)),
    count: shared(tongue.shared.count),
    Count: capitalise(shared(tongue.shared.count)),
  };
  const named = new Set<string>();
  return (slot) => {
    if (fixed[slot] !== undefined) return fixed[slot];
    if (slot === 'person' || slot === 'other') {
      const who = about[slot];
      if (named.has(slot)) return who.last;
      named.add(slot);
      return who.full;
    }
    if (slot === 'n') return random.pick(tongue.pools.number);
    if (slot === 'big') return String(random.integer(21, 380));
    if (slot === 'years') return String(random.integer(12, 48));
    if (slot === 'year') return String(random.integer(1894, 2019));
    return tongue.pools[slot] && random.pick(tongue.pools[slot]);
  };
}

export function title(about: Subject, language: Language, random: Random): string {
  return fill(TONGUES[language].titles[about.kind][about.title], numbered(about, slots(about, language, random)));
}

export function lead(about: Subject, language: Language, random: Random): string {
  const { leads } = TONGUES[language];
  return sentenceCase(fill(leads[about.lead % leads.length], numbered(about, slots(about, language, random))));
}

/** Takes the numbers from the subject instead of new ones. */
function numbered(about: Subject, value: (slot: string) => string | undefined) {
  return (slot: string) => (slot === 'year' || slot === 'years' || slot === 'big' ? String(about[slot]) : value(slot));
}

export type Length = 'brief' | 'short' | 'medium' | 'long';

/** A paragraph, or a heading between paragraphs. */
export interface Passage {
  heading: boolean;
  text: string;
}

/** The body: 1 paragraph, 2, about 6, or 14 to 22 with headings; no sentence occurs twice. */
export function body(about: Subject, language: Language, random: Random, length: Length): Passage[] {
  const tongue = TONGUES[language];
  const value = slots(about, language, random);
  const middles = new Deck(about.topic.indoors ? [...tongue.middles, ...tongue.indoors] : tongue.middles, random);
  const speeches = new Deck(tongue.speeches, random);
  const headings = new Deck(tongue.headings, random);
  const opening = random.pick(tongue.openings);
  const write = (...templates: (string | undefined)[]) =>
    templates
      .filter((template) => template !== undefined)
      .map((template) => sentenceCase(fill(template, value)))
      .join(' ');

  if (length === 'brief') {
    return [{ heading: false, text: write(opening, middles.draw(), random.pick(tongue.closings)) }];
  }
  const passages: Passage[] = [{ heading: false, text: write(opening, middles.draw()) }];
  const paragraphs = length === 'short' ? 0 : length === 'medium' ? random.integer(3, 5) : random.integer(14, 20);
  for (let count = 1; count <= paragraphs && middles.length > 2; count++) {
    if (length === 'long' && count % 4 === 0 && headings.length > 0) {
      passages.push({ heading: true, text: headings.draw()! });
    }
    const text = random.chance(0.6)
      ? write(middles.draw(), speeches.draw(), middles.draw())
      : write(middles.draw(), middles.draw());
    passages.push({ heading: false, text });
  }
  passages.push({ heading: false, text: write(middles.draw(), speeches.draw(), random.pick(tongue.closings)) });
  return passages;
}
