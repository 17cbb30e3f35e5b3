/**
 * A snapshot as a message between threads: the memory of its store is moved or shared, everything else copied.
 */
import { getHeapStatistics } from 'node:v8';
import type { MessagePort, Worker } from 'node:worker_threads';
import { SilentSourceError, SnapshotError, SourceAwayError, UnpublishedError } from '../../core/errors.ts';
import { sharedAllocator } from '../../core/memory/allocator.ts';
import { EndedEarly, receiveMemory, sendMemory } from '../../core/memory/send-memory.ts';
import type { SnapshotWarning, Tolerance } from '../../core/problems.ts';
import type { SignInSecrets } from '../../model/access/definitions.ts';
import type { ContentVersion } from '../../store/content-version.ts';
import { attachContent, type DescribedContent, describeContent } from '../image/describe-content.ts';
import { imageContentOf, snapshotOf } from '../image/load-image.ts';
import type { LoadedSnapshot, LoadSettings, PinnedImage } from '../loaded.ts';
import type { UploadedFiles } from '../uploaded-files.ts';

export interface DescribedSnapshot {
  readonly content: DescribedContent;
  readonly tolerance: Tolerance;
  readonly uploadedFiles: UploadedFiles | null;
  readonly replacesFiles?: boolean;
  readonly warnings: readonly SnapshotWarning[];
  readonly version?: ContentVersion;
  readonly pinned?: PinnedImage | null;
  /** Not part of the content, which can be written to an image. */
  readonly secrets?: SignInSecrets | null;
}

/** The buffers are those of the base: they are not copied. Changes are copied, for the most part to shared memory. */
export function describeSnapshot(loaded: LoadedSnapshot): DescribedSnapshot {
  const { tolerance, uploadedFiles, replacesFiles, warnings, version, pinned, secrets } = loaded;
  const content = describeContent(imageContentOf(loaded), sharedAllocator);
  const files = uploadedFiles && withPlainNames(uploadedFiles);
  return { content, tolerance, uploadedFiles: files, replacesFiles, warnings, version, pinned, secrets };
}

/** A message cannot hold the names that changes keep beside others. */
function withPlainNames(files: UploadedFiles): UploadedFiles {
  const { names } = files;
  return names === null || names instanceof Set ? files : { ...files, names: new Set(names) };
}

/** Takes no work that grows with the rows of the base. */
export function attachSnapshot({ content, ...rest }: DescribedSnapshot): LoadedSnapshot {
  return { ...snapshotOf(attachContent(content)), ...rest };
}

/** The options of a load that can be sent to a thread. */
export interface ThreadOptions extends LoadSettings {
  /** Whether several threads will attach the snapshot. */
  readonly isShared: boolean;
}

/** The kinds of SnapshotErrors. A class comes before those that it extends. */
const problemClasses = [
  ['unpublished', UnpublishedError],
  ['silent', SilentSourceError],
  ['away', SourceAwayError],
  ['refused', SnapshotError],
] as const;
type ProblemKind = (typeof problemClasses)[number][0];

/**
 * An error as plain data, by the class that `problemClasses` names. Another kind is a defect.
 */
export type LoadFailure =
  | { readonly kind: ProblemKind; readonly problems: readonly string[]; readonly count: number }
  | { readonly kind: 'failed'; readonly error: unknown };

export function failureOf(error: unknown): LoadFailure {
  if (!(error instanceof SnapshotError)) return { kind: 'failed', error };
  const [kind] = problemClasses.find(([, Class]) => error instanceof Class)!;
  return { kind, problems: error.problems, count: error.count };
}

/** Returns the error that a failure was made of. */
export function errorOf(failure: LoadFailure): unknown {
  if (failure.kind === 'failed') return failure.error;
  const { kind, problems, count } = failure;
  const [, Class] = problemClasses.find(([name]) => name === kind)!;
  return new Class(problems, count);
}

/** A snapshot from another thread. */
export interface SentSnapshot {
  readonly snapshot: DescribedSnapshot;
  /** The size of the heap of that thread after the load. */
  readonly heapBytes: number;
}

/** The last message of a load in another thread. The memory of the snapshot came before. */
export type LoadMessage = (SentSnapshot & { readonly kind: 'loaded' }) | LoadFailure;

/** Sends the memory of a snapshot, and returns the last message. `receiveSnapshot` receives both. */
export async function sendSnapshot(port: MessagePort, loaded: LoadedSnapshot): Promise<LoadMessage> {
  const described = describeSnapshot(loaded);
  await sendMemory(port, described.content.buffers);
  return { kind: 'loaded', snapshot: withBuffers(described, []), heapBytes: getHeapStatistics().total_heap_size };
}

/**
 * Receives the snapshot of a load in a thread, which keeps the process alive meanwhile. Rejects with a SnapshotError, also
 * if the thread ends early or runs out of memory. `source` is its name in messages.
 */
export async function receiveSnapshot(
  worker: Worker,
  source: string,
  port: Worker | MessagePort = worker,
): Promise<SentSnapshot> {
  worker.ref();
  try {
    const { last, buffers } = await receiveMemory<LoadMessage>(worker, port).catch((error) => {
      throw asLoadProblem(error, source);
    });
    if (last.kind !== 'loaded') throw errorOf(last);
    return { ...last, snapshot: withBuffers(last.snapshot, buffers) };
  } finally {
    worker.unref();
  }
}

function withBuffers(snapshot: DescribedSnapshot, buffers: readonly ArrayBufferLike[]): DescribedSnapshot {
  return { ...snapshot, content: { ...snapshot.content, buffers } };
}

/** Returns an error of `receiveMemory` as a SnapshotError if the thread that loads a source has ended early. */
function asLoadProblem(error: unknown, source: string): unknown {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new SnapshotError([`${source}: ${outOfMemory}`]);
  }
  if (!(error instanceof EndedEarly)) return error;
  return new SnapshotError([`${source}: the thread that loads it ended early, with code ${error.exitCode}`]);
}

const outOfMemory =
  'loading it takes more heap than Node may use. Raise the limit with NODE_OPTIONS=--max-old-space-size=MEGABYTES';
