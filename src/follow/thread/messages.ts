/** What the main thread and the thread that reads a source send each other. */
import type { MessagePort } from 'node:worker_threads';
import type { DescribedSnapshot, LoadFailure } from '../../load/thread/described-snapshot.ts';
import type { Source } from '../source.ts';
import type { OnAccess, OnUnchanged, SourceChange, SourceReader } from '../source-reader.ts';

/** What the thread is started with. */
export interface ReaderStart {
  readonly source: Source;
  /** The URL of a `ReaderModule`. */
  readonly readers: string;
  /** Takes `ThreadOptions` for each load, and sends memory and then a `LoadedMessage`. */
  readonly loads: MessagePort;
}

/** A module that makes readers. */
export interface ReaderModule {
  createReader(source: Source, onUnchanged: OnUnchanged, onAccess: OnAccess): SourceReader | Promise<SourceReader>;
}

/** The last message of a load. The memory of the snapshot came before. */
export type LoadedMessage = { readonly kind: 'loaded'; readonly snapshot: DescribedSnapshot } | LoadFailure;

export type NextMessage = { readonly kind: 'next'; readonly change: SourceChange } | LoadFailure;

export interface ReaderFunctions {
  next(): Promise<NextMessage>;
  hint(body: unknown): void;
  /** Closes the reader. The next load makes another one. */
  reset(): Promise<void>;
}
