/** The names that attributes may have. The JSON Schemas for editors in data/schemas hold the same lists. */

/** The relations to administrators that every content type has. */
export const creatorNames: ReadonlySet<string> = new Set(['createdBy', 'updatedBy']);

/** Names that every content type has; a definition may repeat them (exports do), and cannot change them. */
export const systemNames: ReadonlySet<string> = new Set([
  'id',
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  ...creatorNames,
  'locale',
  'localizations',
]);

/** Names of a content type's entries that no attribute of it can have: they stand beside its attributes. */
export const reservedInTypes: ReadonlySet<string> = new Set([...systemNames, 'status', '__type']);

/** The same of components. */
export const reservedInComponents: ReadonlySet<string> = new Set(['id', '__component']);

/**
 * What a name looks like, as the source of a regular expression for the whole name, with the flag `u`. Queries join
 * names by dots, set them apart by colons and commas, and number the items of lists. JavaScript takes `__proto__` for no
 * name like others.
 */
export const namePattern = '(?!\\d+$|__proto__$)[\\p{L}\\p{M}\\p{N}_-]+';

/** The pattern of the names that are left when some are reserved. */
export function patternWithout(reserved: Iterable<string>): string {
  return `^(?!(${[...reserved].join('|')})$)${namePattern}$`;
}
