import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SnapshotError } from '../base/errors.ts';
import { type ContentParts, putTogether } from '../image/parts.ts';
import { snapshotOf } from './image-snapshot.ts';
import type { LoadedSnapshot, LoadOptions } from './loaded.ts';
import type { UploadedFiles } from './strapi/uploaded-files.ts';

/** What the thread is asked to load. */
export interface LoadRequest {
  readonly source: string;
  readonly options: Omit<LoadOptions, 'allocator'>;
}

export type LoadedMessage =
  | { readonly kind: 'loaded'; readonly parts: ContentParts; readonly uploadedFiles: UploadedFiles | null }
  | { readonly kind: 'refused'; readonly problems: readonly string[]; readonly count: number };

/** The built file: Node runs no TypeScript in threads. */
const entry = new URL('./load-thread.js', import.meta.url);

/**
 * Loads a snapshot in a thread of its own, so that this one goes on answering requests. Taking it over takes no work that
 * grows with its rows. Throws a SnapshotError.
 */
export async function loadInThread(source: string, options: LoadRequest['options']): Promise<LoadedSnapshot> {
  const worker = new Worker(entry, { workerData: { source, options } satisfies LoadRequest });
  try {
    // rejects with an error that the thread does not handle
    const [message] = (await Promise.race([once(worker, 'message'), exitOf(worker)])) as [LoadedMessage];
    if (message.kind === 'refused') throw new SnapshotError([...message.problems], message.count);
    return { ...snapshotOf(putTogether(message.parts)), uploadedFiles: message.uploadedFiles };
  } finally {
    await worker.terminate();
  }
}

/** Rejects when the thread ends before it has sent anything, as it does when it is out of memory. */
async function exitOf(worker: Worker): Promise<never> {
  const [code] = await once(worker, 'exit');
  throw new Error(`the thread that loads the snapshot ended with code ${code}`);
}
