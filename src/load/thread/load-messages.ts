/** What a thread that loads a snapshot and the one that asked for it send each other. */
import type { MessagePort } from 'node:worker_threads';
import { SnapshotError, SourceAwayError } from '../../core/errors.ts';
import { sendMemory } from '../../core/memory/send-memory.ts';
import type { LoadedSnapshot, LoadSettings } from '../loaded.ts';
import { type DescribedSnapshot, describeSnapshot } from './described-snapshot.ts';

/** The options of a load that can be sent to a thread. */
export interface ThreadOptions extends LoadSettings {
  /** Whether several threads will attach the snapshot. */
  readonly isShared: boolean;
}

/** An error as plain data. `refused` is a SnapshotError, `away` a SourceAwayError. Another kind is a defect. */
export type LoadFailure =
  | { readonly kind: 'refused' | 'away'; readonly problems: readonly string[]; readonly count: number }
  | { readonly kind: 'failed'; readonly error: unknown };

export function failureOf(error: unknown): LoadFailure {
  if (!(error instanceof SnapshotError)) return { kind: 'failed', error };
  const kind = error instanceof SourceAwayError ? 'away' : 'refused';
  return { kind, problems: error.problems, count: error.count };
}

/** Returns the error that a failure was made of. */
export function errorOf(failure: LoadFailure): unknown {
  if (failure.kind === 'failed') return failure.error;
  const { kind, problems, count } = failure;
  return kind === 'away' ? new SourceAwayError(problems, count) : new SnapshotError(problems, count);
}

/**
 * Sends the memory of a snapshot, and returns the snapshot without it, for the last message. `receiveMemory` receives
 * both.
 */
export async function sendSnapshot(port: MessagePort, loaded: LoadedSnapshot): Promise<DescribedSnapshot> {
  const described = describeSnapshot(loaded);
  await sendMemory(port, described.content.buffers);
  return withBuffers(described, []);
}

/** Returns a snapshot with the memory that came before it. */
export function withBuffers(snapshot: DescribedSnapshot, buffers: readonly ArrayBufferLike[]): DescribedSnapshot {
  return { ...snapshot, content: { ...snapshot.content, buffers } };
}
