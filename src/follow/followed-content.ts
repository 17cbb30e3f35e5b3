import type { Logger } from 'pino';
import type { Batch } from '../changes/batch/batch.ts';
import { diffSnapshots } from '../changes/diff/diff-snapshots.ts';
import { identityOf } from '../content/versions/version.ts';
import { formatNumber } from '../core/problems.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';

/** The content that a follower keeps equal to its source. */
export interface FollowedContent {
  /** The latest version, even if another one is pinned. */
  readonly loaded: LoadedSnapshot;
  /** Rejects with a SnapshotError if the batch does not fit the content, which then stays as it is. */
  apply(batch: Batch): Promise<void>;
  /**
   * Serves other content in all threads. Returns whether its version is new: other tokens and secrets do not count.
   * `started` is a time of `performance.now()`.
   */
  replace(loaded: LoadedSnapshot, started: number): Promise<boolean>;
}

/** What differs between the content that is served and the same content read again. */
export interface ContentDifferences {
  readonly entries: number;
  /** Differences of types, roles, locales, settings, blocked users and names of uploaded files. */
  readonly others: number;
}

/** Returns null if nothing differs, which takes no work that grows with the entries. */
function countDifferences(served: LoadedSnapshot, read: LoadedSnapshot): ContentDifferences | null {
  if (identityOf(served) === identityOf(read)) return null;
  const { isEqual, entries, types, roles, settings, locales, blockedUsers, uploads } = diffSnapshots(served, read);
  if (isEqual) return null;
  const lists = [locales, blockedUsers, ...(uploads ? [uploads] : [])].flatMap(({ added, removed }) => [
    ...added,
    ...removed,
  ]);
  return { entries: entries.length, others: types.length + roles.length + settings.length + lists.length };
}

/** Logs what the content that is served had missed. */
export function logDifferences(log: Logger, served: LoadedSnapshot, read: LoadedSnapshot): void {
  const differences = countDifferences(served, read);
  if (!differences) return log.info('everything was read again, and nothing had been missed');
  const { entries } = differences;
  const missed = entries === 1 ? '1 entry' : `${formatNumber(entries)} entries`;
  log.warn({ ...differences }, `everything was read again: ${missed} had been missed`);
}
