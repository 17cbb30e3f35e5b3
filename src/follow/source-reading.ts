import { SnapshotError } from '../core/errors.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import type { ThreadOptions } from '../load/thread/load-messages.ts';
import type { SourceChange } from './source-reader.ts';

/** Reads a source over and over, with one `SourceReader` after the other. */
export interface SourceReading {
  /** Reads everything, as `SourceReader.load` does. */
  load(options: ThreadOptions): Promise<LoadedSnapshot>;
  /** As `SourceReader.next`. Rejects with a `ReaderGone` if the reader has no state any more: `load` makes another. */
  next(): Promise<SourceChange>;
  hint(body?: unknown): void;
  /** Ends calls in progress, which reject. Then the source can be loaded again. */
  reset(): Promise<void>;
  /** Ends calls in progress, which reject, for good. */
  close(): Promise<void>;
}

/** What a reading tells without being asked. */
export interface ReadingEvents {
  /** As `OnUnchanged`. */
  unchanged(readAt: number): void;
  /** A file of a source that has failed has changed. */
  signOfLife(): void;
}

/** The reader of a source has ended with what it knew. */
export class ReaderGone extends SnapshotError {}
