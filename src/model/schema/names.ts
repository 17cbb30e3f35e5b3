/** Rules for attribute names. The JSON Schemas in data/schemas hold the same lists. */

/** Relations to administrators. Every content type has them. */
export const creatorNames: ReadonlySet<string> = new Set(['createdBy', 'updatedBy']);

/** Datetime attributes of every content type. */
export const timestampNames: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'publishedAt']);

/** Attributes of every content type. A definition may repeat them, as exports do, but cannot change them. */
export const systemNames: ReadonlySet<string> = new Set([
  'id',
  'documentId',
  ...timestampNames,
  ...creatorNames,
  'locale',
  'localizations',
]);

/** Names that attributes of a content type cannot have, because entries use them otherwise. */
export const reservedInTypes: ReadonlySet<string> = new Set([...systemNames, 'status', '__type']);

/** Names that attributes of a component cannot have. */
export const reservedInComponents: ReadonlySet<string> = new Set(['id', '__component']);

/**
 * Source of a regular expression, with the flag `u`, for attribute names. Excludes dots, colons, commas and plain
 * numbers, which have a meaning in queries, and `__proto__`, which JavaScript treats specially.
 */
export const namePattern = '(?!\\d+$|__proto__$)[\\p{L}\\p{M}\\p{N}_-]+';

const attributeName = new RegExp(`^${namePattern}$`, 'u');

export function isAttributeName(name: string): boolean {
  return attributeName.test(name);
}
