import { Worker } from 'node:worker_threads';
import { receiveMemory, shareMemory } from '../../core/memory/send-memory.ts';
import { runInTurns } from '../../core/steps.ts';
import { attachStoreOf, type DescribedContent, describeContentInSteps } from '../../load/image/describe-content.ts';
import { imageContentOf } from '../../load/image/load-image.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { Store } from '../../store/store.ts';

/** What the thread gets. */
export interface CompactionTask {
  /** In shared memory. */
  readonly content: DescribedContent;
  /** Whether several threads will attach the compacted store. */
  readonly isShared: boolean;
  /** Where the thread writes the compacted content as an image, in place of sending it. Null: it sends it. */
  readonly image: string | null;
}

/** What the thread sends at the end: the content without its buffers, or the size of its image. */
export type CompactionMessage =
  | { readonly kind: 'compacted'; readonly content: DescribedContent }
  | { readonly kind: 'written'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Returns the store of a snapshot without changes, as `compactStore` does. Rejects if the signal ends the work, or if
 * the thread ends early.
 */
export type Compact = (loaded: LoadedSnapshot, signal: AbortSignal) => Promise<Store>;

/**
 * Writes the image of a snapshot with its changes to a path, as `writeImage` does, and returns its size in bytes. The
 * other parameters and errors are those of `Compact`, with system errors of the file.
 */
export type WriteCompacted = (path: string, ...snapshot: Parameters<Compact>) => Promise<number>;

/**
 * Compacts in a thread of low priority. This thread hands over the content: memory that is not shared is
 * copied between other work, so that no request waits for more than some milliseconds. Works in the built package only,
 * because Node 20 runs no TypeScript.
 */
export const compactInThread: Compact = async (loaded, signal) => {
  const { last, buffers } = await runThread(null, loaded, signal);
  return attachStoreOf(loaded.store.schema, { ...(last as Last<'compacted'>).content, buffers });
};

/** Writes an image in such a thread. */
export const writeCompactedInThread: WriteCompacted = async (path, ...snapshot) => {
  const { last } = await runThread(path, ...snapshot);
  return (last as Last<'written'>).bytes;
};

type Last<Kind> = Extract<CompactionMessage, { kind: Kind }>;

async function runThread(
  image: string | null,
  ...[loaded, signal]: Parameters<Compact>
): Promise<Awaited<ReturnType<typeof receiveMemory<CompactionMessage>>>> {
  const { manifest, buffers } = await runInTurns(describeContentInSteps(imageContentOf(loaded)));
  // changes are not in shared memory
  const isShared = buffers.some((buffer) => buffer instanceof SharedArrayBuffer);
  const shared = await shareMemory(buffers);
  signal.throwIfAborted();
  const worker = new Worker(new URL('./compact-thread.js', import.meta.url));
  const end = () => void worker.terminate();
  signal.addEventListener('abort', end, { once: true });
  try {
    const task: CompactionTask = { content: { manifest, buffers: shared }, isShared, image };
    worker.postMessage(task);
    const received = await receiveMemory<CompactionMessage>(worker);
    signal.throwIfAborted();
    if (received.last.kind === 'failed') throw received.last.error;
    return received;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
