import type { Schema } from '../content/schema.ts';

const textTypes = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration'];

/** The attributes that `_q` searches for a word without digits. */
export function searchedAttributes(schema: Schema, type: string): string[] {
  const attributes = schema
    .type(type)
    .attributes.filter(({ type, name }) => textTypes.includes(type) && !unsearched.has(name));
  return attributes.map(({ name }) => name);
}

const unsearched = new Set(['documentId', 'locale']);
