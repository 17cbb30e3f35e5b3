/** Reads webhooks of Strapi 5. Only the place of a change is taken from them: their entries may be incomplete or missing. */
import { isPlainObject } from '../../../core/plain-object.ts';
import { fileType } from '../../../model/schema/schema.ts';

/** What has changed. A type without a document: any of its entries. Null: anything. */
export type ChangedPlace = { readonly type: string; readonly documentId: string | null } | null;

/** Returns the place of the change that the body of a webhook names. Never throws. */
export function changedPlaceOf(body: unknown): ChangedPlace {
  if (!isPlainObject(body)) return null;
  // webhooks about files have the file as "media", and no uid
  if (isPlainObject(body.media)) return { type: fileType, documentId: documentIdIn(body.media) };
  if (typeof body.uid !== 'string') return null;
  return { type: body.uid, documentId: documentIdIn(body.entry) };
}

/** `entry` is often null, or the string "null" (strapi #25387). */
function documentIdIn(entry: unknown): string | null {
  const id = isPlainObject(entry) ? entry.documentId : null;
  return typeof id === 'string' && id !== '' ? id : null;
}
