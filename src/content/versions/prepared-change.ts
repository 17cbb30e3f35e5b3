import { type Batch, readBatchInSteps } from '../../changes/batch/batch.ts';
import type { CheckedBatch, CheckedChanges } from '../../changes/batch/check-batch.ts';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import type { StateDigests } from '../../changes/log/logged-change.ts';
import { stateDigest } from '../../changes/log/state-digest.ts';
import { staleTagsInSteps } from '../../changes/stale-tags.ts';
import { Problems } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { readAdditions } from '../../engine/additions/additions.ts';
import { Catalog } from '../../engine/catalog.ts';
import type { StoreAccess } from '../../engine/store-access.ts';
import { StoreEngine } from '../../engine/store-engine.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import type { Settings } from '../../model/settings/config.ts';
import { nextVersion, versionText } from '../../store/content-version.ts';
import { replacedBytes } from '../../store/own-bytes.ts';
import type { Store } from '../../store/store.ts';
import type { Tag } from '../../store/tags/tags.ts';
import type { StaleParts } from './change-feed.ts';
import { applyCheckedInSteps, checkInSteps, checkJsonInSteps } from './change-loaded.ts';
import { summarizeStore } from './summary.ts';
import { accessOf, type ContentConfiguration, rolesOf, shownStoreInSteps, type Version } from './version.ts';

/** A batch that is valid for a snapshot, with what it leads to. */
export interface PreparedChange extends NextSnapshot {
  readonly batch: Batch;
  readonly unlinked: Unlinked;
  readonly changes: CheckedChanges;
  /** Bytes of the store before that the one after it does not share. */
  readonly replacedBytes: number;
}

/** All that is served after a change. */
export interface NextSnapshot {
  readonly from: Version;
  /** The changes of a log that the batch was joined of, each of which is a version; otherwise 1. */
  readonly count: number;
  readonly loaded: LoadedSnapshot;
  readonly access: StoreAccess;
  readonly catalog: Catalog;
  /** The store as requests read it. */
  readonly shown: Store;
  /** The tags of what differs; null if everything may. */
  readonly stale: ReadonlySet<Tag> | null;
}

/**
 * A batch as one thread sends it to the others, which have the same content. Plain data. They apply it without
 * checking it again, and compute no tags.
 */
export interface MadeChange extends Pick<PreparedChange, 'changes' | 'stale'> {
  /** The version that it leads to, as in the header `X-Lectern-Version`. */
  readonly version: string;
  /** As in `NextSnapshot`. */
  readonly count: number;
  /** The number of entries that it wrote or deleted. */
  readonly changed: number;
  /** The digests of the content before and after. */
  readonly digests: StateDigests;
}

/** Returns the digests of the content before and after a change. */
export function digestsOf({ from, loaded }: Pick<NextSnapshot, 'from' | 'loaded'>): StateDigests {
  return { before: stateDigest(from.loaded), after: stateDigest(loaded) };
}

/** Returns a change for the other threads. */
export function madeChangeOf({ from, count, batch, changes, loaded, stale }: PreparedChange): MadeChange {
  const version = versionText(nextVersion(from.engine.version, count));
  return { version, count, changed: batch.entities.length, digests: digestsOf({ from, loaded }), changes, stale };
}

/** The forms in which changes are given: a batch, or a list of changes in JSON. */
export type ChangeForm = 'batch' | 'changes';

/** Validates changes of a form, made at `now`. Changes nothing. Throws a SnapshotError that lists the errors. */
export function* prepareChangeInSteps(
  before: Version,
  value: unknown,
  form: ChangeForm,
  configuration: ContentConfiguration,
  now?: string,
): Steps<PreparedChange> {
  if (form === 'changes') {
    const checked = yield* checkJsonInSteps(before.loaded, value, configuration.settings, now);
    return yield* preparedChangeInSteps(before, checked, configuration);
  }
  const problems = new Problems(before.loaded.tolerance, 'batch');
  const batch = yield* readBatchInSteps(value, problems);
  if (!batch) problems.throwIfAny();
  return yield* prepareReadBatchInSteps(before, batch!, configuration);
}

/** As `prepareChangeInSteps`, for what `readBatchInSteps` has returned. `count` is as in `NextSnapshot`. */
export function* prepareReadBatchInSteps(
  before: Version,
  batch: Batch,
  configuration: ContentConfiguration,
  count = 1,
): Steps<PreparedChange> {
  const checked = yield* checkInSteps(before.loaded, batch, configuration.settings);
  return yield* preparedChangeInSteps(before, checked, configuration, count);
}

function* preparedChangeInSteps(
  from: Version,
  checked: CheckedBatch,
  configuration: ContentConfiguration,
  count = 1,
): Steps<PreparedChange> {
  const { loaded, upserted } = yield* applyCheckedInSteps(from.loaded, checked.changes);
  const next = yield* nextSnapshotInSteps(from, loaded, configuration, count);
  const stale = yield* staleTagsInSteps(from.engine.store, next.shown, upserted);
  return { ...checked, ...next, stale, replacedBytes: replacedBytes(from.loaded.store, loaded.store) };
}

/**
 * Prepares a change that another thread has made to the same content. Throws an Error if the content is another one, or
 * at another version, or becomes another one.
 */
export function* prepareMadeInSteps(
  from: Version,
  { version, count, digests, changes, stale }: MadeChange,
  configuration: ContentConfiguration,
): Steps<NextSnapshot> {
  const before = stateDigest(from.loaded);
  const next = versionText(nextVersion(from.engine.version, count));
  if (next !== version || before !== digests.before) {
    const expected = `${version} from the content ${digests.before}`;
    throw new Error(`a change leads to ${expected}, and here to ${next} from ${before}`);
  }
  const { loaded } = yield* applyCheckedInSteps(from.loaded, changes);
  const after = stateDigest(loaded);
  if (after !== digests.after)
    throw new Error(`${version} leads to the content ${digests.after}, and here to ${after}`);
  return { ...(yield* nextSnapshotInSteps(from, loaded, configuration, count)), stale };
}

/** Returns all that is served after a change, without the tags of what differs. */
function* nextSnapshotInSteps(
  from: Version,
  loaded: LoadedSnapshot,
  { settings, sourceOf, extension }: ContentConfiguration,
  count: number,
): Steps<Omit<NextSnapshot, 'stale'>> {
  const { loaded: before, engine } = from;
  const { store, dialect } = loaded;
  const { roles, credentials } = engine.access;
  const newAccess = accessOf(loaded, loaded.roles === before.roles ? roles : rolesOf(loaded, settings), credentials);
  const catalog = engine.catalog.serves(store, dialect)
    ? engine.catalog
    : new Catalog(store, dialect, settings, readAdditions(settings, sourceOf, dialect, extension));
  const earlier = { store: before.store, shown: engine.store };
  return { from, count, loaded, access: newAccess, catalog, shown: yield* shownStoreInSteps(store, settings, earlier) };
}

/** The version after a change. */
interface ChangedVersion {
  readonly after: Version;
  /** What the batch made stale; null if every reply may differ. */
  readonly stale: StaleParts | null;
}

/**
 * Returns the version after a change. It takes over the memory of the engine before: serve that no longer.
 */
export function commitChange(
  { from, count, loaded, access, catalog, shown, stale }: NextSnapshot,
  settings: Settings,
): ChangedVersion {
  const { engine, summary } = from;
  const { types } = loaded;
  const version = nextVersion(engine.version, count);
  const isServed = catalog === engine.catalog;
  const next = isServed
    ? engine.change(shown, version, access, stale)
    : new StoreEngine(catalog, { store: shown, version, types, access }, settings);
  const hasSameRoles = loaded.roles === from.loaded.roles;
  return {
    after: {
      ...from,
      loaded: { ...loaded, version },
      engine: next,
      summary: { ...summary, ...summarizeStore(shown, catalog) },
    },
    stale: isServed && hasSameRoles && stale ? { before: engine.store, after: shown, tags: stale } : null,
  };
}
