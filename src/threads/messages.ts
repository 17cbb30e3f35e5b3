/** What the coordinating thread and the threads that answer requests call of each other, by messages. */
import type { Batch } from '../changes/batch.ts';
import type { Config } from '../config/config.ts';
import type { ContentEntry } from '../contents/contents.ts';
import type { DescribedSnapshot } from '../load/described-snapshot.ts';
import type { FileState } from '../media/unpacking.ts';
import type { Samples } from '../server/metrics.ts';
import type { Readiness } from '../server/operations.ts';
import type { RateLimitMemory } from '../server/rate-limit-store.ts';

/** What a thread that answers requests is started with. */
export interface ThreadStart {
  /** From 1. */
  readonly number: number;
  /** The number of threads among which the process divides what it may hold. */
  readonly threads: number;
  /** With the thread's share of limits. */
  readonly config: Config;
  /** The counters of the rate limit, if there is one. */
  readonly counters: RateLimitMemory | undefined;
  /** As in `ServedContents`. */
  readonly areChosen: boolean;
}

/** Whether a thread listens, or why it cannot. */
export type Listening = { readonly port: number; readonly address: string } | { readonly problem: string };

/** An entry of the registry, with what its content serves. The snapshot is null if it could not be loaded. */
export interface DescribedEntry extends Omit<ContentEntry, 'content'> {
  readonly snapshot: DescribedSnapshot | null;
  /** The changes since the snapshot, in order. */
  readonly batches: readonly Batch[];
}

/**
 * A change to the registry. A thread that has an entry of the same id gives its content the snapshot. The content keeps
 * its settings, and its store with all changes if the snapshot is the same or of the same epoch. A batch leads to
 * `version`.
 */
export type EntryChange =
  | { readonly kind: 'set'; readonly entry: DescribedEntry }
  | { readonly kind: 'apply'; readonly name: string; readonly batch: Batch; readonly version: string }
  | { readonly kind: 'delete'; readonly name: string };

/** Calls are answered in their order. */
export interface ThreadFunctions {
  /** Listens on this port, which other threads may share. */
  listen(port: number): Promise<Listening>;
  /** Changes the registry. Returns when all further requests to this thread are answered from it. */
  changeContents(changes: readonly EntryChange[]): Promise<void>;
  samples(): Promise<Samples>;
  /** Returns when requests in progress have finished. */
  stop(): Promise<void>;
}

export interface UploadState {
  readonly state: FileState;
  readonly folder: string | null;
}

export interface CoordinatorFunctions {
  /** Writes a line of the log, in JSON. */
  log(line: string): void;
  /**
   * Returns the state of an uploaded file of an archive, as `UnpackedFiles.state` does, and the folder that it is in.
   */
  upload(archive: string, name: string, milliseconds: number): Promise<UploadState>;
  /** Returns whether the process serves content. */
  readiness(): Promise<Readiness>;
  /** Returns the metrics of the process in the text format of Prometheus. */
  metrics(): Promise<string>;
}
