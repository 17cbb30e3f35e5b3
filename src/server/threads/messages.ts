/** The functions that the coordinating thread and the threads that answer requests call in each other. */
import type { PreviewChanges } from '../../content/previews/preview-changes.ts';
import type { Freshness } from '../../content/registry/content-source.ts';
import type { ContentEntry } from '../../content/registry/contents.ts';
import type { MadeChange } from '../../content/versions/prepared-change.ts';
import type { FileState } from '../../http/files/unpacking.ts';
import type { DescribedContent } from '../../load/image/describe-content.ts';
import type { DescribedSnapshot } from '../../load/thread/described-snapshot.ts';
import type { Config } from '../../model/settings/config.ts';
import type { Samples } from '../metrics/metrics.ts';
import type { Readiness } from '../operations.ts';
import type { RateLimitMemory } from '../rate-limit/rate-limit-store.ts';
import type { OpenedTicket } from '../tickets/tickets.ts';

/** The start data of a thread that answers requests. */
export interface ThreadStart {
  /** From 1. */
  readonly number: number;
  /** The number of threads that share the limits of the process. */
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

/**
 * An entry of the registry, with what its content serves. `version` counts all changes. The snapshot is null if it could
 * not be loaded.
 */
export interface DescribedEntry extends Omit<ContentEntry, 'content' | 'preview' | 'source'> {
  readonly snapshot: DescribedSnapshot | null;
  /** The version that is served in place of the latest one, or null. */
  readonly pinned: DescribedSnapshot | null;
  /** Only of a preview, which each thread makes of its own base. */
  readonly changes?: PreviewChanges;
}

/**
 * A change to the registry. A thread that has an entry of the same id gives its content the snapshot, or its preview the
 * changes. The content keeps its settings, and its store if the snapshot is the same or of the same epoch. A rebase gives
 * a content another store with the same content, of the same version. A pin serves another version, or the latest one.
 */
export type EntryChange =
  | { readonly kind: 'set'; readonly entry: DescribedEntry }
  | { readonly kind: 'apply'; readonly name: string; readonly change: MadeChange }
  | { readonly kind: 'rebase'; readonly name: string; readonly store: DescribedContent; readonly version: string }
  | { readonly kind: 'pin'; readonly name: string; readonly pinned: DescribedSnapshot | null }
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
  /** As `Tickets.open`. */
  openTicket(digest: string, entry: number): Promise<OpenedTicket>;
  /** As `Operations.freshness`. */
  freshness(content: string): Promise<Freshness | null>;
  /** Returns the metrics of the process in the text format of Prometheus. */
  metrics(): Promise<string>;
}
