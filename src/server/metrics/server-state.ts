import type { ChangeFigures } from '../../content/live/change-writer.ts';
import type { Freshness } from '../../content/registry/content-source.ts';
import type { CompactionFigures } from '../../content/versions/compactions.ts';
import type { PinnedVersion } from '../../content/versions/served-version.ts';
import type { CacheStatistics } from '../../core/byte-bounded-cache.ts';
import type { CodecFigures } from '../../http/codec-pool.ts';
import type { WaitFigures } from '../../http/version-waits.ts';
import type { EventFigures } from '../events/event-streams.ts';
import type { WebhookFigures } from '../events/webhook.ts';
import type { RateLimitFigures } from '../rate-limit/rate-limit-store.ts';
import type { ReloadFigures } from '../reloads.ts';
import type { QueueFigures } from '../requests/request-queue.ts';

/** The interface of content that the metrics use. */
export interface MeasuredContent {
  readonly summary: {
    version: string;
    dialect: string;
    types: { entries: number }[];
    components: number;
    loadMilliseconds: number;
    loadedAt: string;
    updatedAt: string | null;
    warnings: readonly { kind: string; count: number }[];
  };
  readonly cacheFigures: Record<string, CacheStatistics>;
  readonly compactionFigures: CompactionFigures;
  readonly pinned: PinnedVersion | null;
  /** Bytes that earlier versions take in addition to the latest one. */
  readonly earlierBytes: number;
}

/** The state of the server. */
export interface ServerState {
  /** Returns the loaded contents with their names. */
  contents(): readonly (readonly [name: string, content: MeasuredContent])[];
  /** Whether metrics are labelled with the name of their content even if it is the only one. */
  readonly labelsAll: boolean;
  isReady(): boolean;
  connections(): number;
  unsentBytes(): number;
  lostLogLines(): number;
  codecs(): CodecFigures;
  queue(): QueueFigures;
  versionWaits(): WaitFigures;
  reloads(): ReloadFigures;
  /** Null without an admin port. */
  readonly events: (() => EventFigures) | null;
  /** Null without a webhook. */
  readonly webhook: (() => WebhookFigures) | null;
  /** Returns the changes to each content with its name. Empty in a thread whose contents another thread changes. */
  changes(): readonly (readonly [name: string, changes: ChangeFigures])[];
  /** Returns the freshness of each content that follows a source, with its name. */
  sources(): readonly (readonly [name: string, freshness: Freshness])[];
  /** Null if there is no rate limit. */
  readonly limitedAddresses: (() => RateLimitFigures) | null;
  /** Null if one thread does everything. */
  readonly threads: (() => ThreadFigures) | null;
}

/** The threads that answer requests. */
export interface ThreadFigures {
  readonly answering: number;
  /** Threads that ended unexpectedly and were replaced, since the start. */
  readonly restarted: number;
}
