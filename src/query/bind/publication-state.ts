import type { MessagePolicy } from '../messages.ts';

const states = ['live', 'preview'] as const;

/** Returns the `publicationState` of Strapi 4. Throws for a value that does not exist. */
export function readPublicationState(value: unknown, messages: MessagePolicy): 'live' | 'preview' | null {
  if (value === undefined || value === null) return null;
  if (value === 'live' || value === 'preview') return value;
  throw messages.choice('publicationState', value, states);
}
