/** The changes of a preview, as every thread and the folder of contents have them. */
import { z } from 'zod';
import { RequestError } from '../base/errors.ts';
import { batchLimits } from '../changes/batch-limits.ts';

export interface PreviewChanges {
  /** How often changes were added since the preview was put. */
  readonly revision: number;
  /** The lists of changes as JSON, in shared memory. */
  readonly bytes: Uint8Array;
}

const fileSchema = z.strictObject({
  format: z.literal(1),
  revision: z.int().min(0),
  /** Lists of changes as in `POST /_changes`, to be applied one after the other. */
  lists: z.array(z.unknown()),
});

/** Maximum number of lists: applying each takes about a millisecond. */
const maxLists = 500;

/** Throws a RequestError if the lists are too many or too large. */
export function packChanges(lists: readonly unknown[], revision = 0): PreviewChanges {
  const text = Buffer.from(JSON.stringify({ format: 1, revision, lists }));
  if (text.length > batchLimits.bytes || lists.length > maxLists) {
    const message = `A preview takes at most ${batchLimits.bytes} bytes of changes, and ${maxLists} lists of which each deletes entries: put it again`;
    throw new RequestError(413, 'PayloadTooLargeError', message);
  }
  const bytes = new Uint8Array(new SharedArrayBuffer(text.length));
  bytes.set(text);
  return { revision, bytes };
}

export function listsOf({ bytes }: PreviewChanges): readonly unknown[] {
  return fileSchema.parse(JSON.parse(Buffer.from(bytes).toString())).lists;
}

/** Reads the bytes of a PreviewChanges. Throws an Error if they are damaged. */
export function readPreviewChanges(file: Uint8Array): PreviewChanges {
  const { lists, revision } = fileSchema.parse(JSON.parse(Buffer.from(file).toString()));
  return packChanges(lists, revision);
}
