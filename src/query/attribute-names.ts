/** Which names of a query are those of attributes, as the recorded service sees it. */
import type { EntryType } from '../schema/schema.ts';

/** These are no attributes: no place below them has their name. */
export const identifiers: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Those of administrators, who are in no snapshot: what a query says of them is refused one way or another. */
const administratorNames = new Set(
  (
    'firstname lastname username email password resetPasswordToken registrationToken isActive roles blocked ' +
    'preferedLanguage createdAt updatedAt publishedAt createdBy updatedBy locale localizations'
  ).split(' '),
);

/** Whether the entries of a type have an attribute of that name; null: whether administrators do. */
export function isAttributeName(type: EntryType | null, name: string): boolean {
  return !identifiers.has(name) && (type ? type.attributes.has(name) : administratorNames.has(name));
}
