import { hash } from 'node:crypto';
import { publicActions } from '../access/public-access.ts';
import { Roles } from '../access/roles.ts';
import { Problems, warning } from '../base/problems.ts';
import { type AppliedBatch, applyBatch, applyBuilt } from '../changes/apply-batch.ts';
import { type Batch, readBatch } from '../changes/batch.ts';
import type { BatchOptions } from '../changes/batch-options.ts';
import { prepareChanges } from '../changes/prepare-changes.ts';
import type { Settings } from '../config/config.ts';
import type { SourceOf } from '../config/setting-problems.ts';
import type { Format } from '../engine/bound-request.ts';
import { Catalog } from '../engine/catalog.ts';
import { StoreAccess } from '../engine/store-access.ts';
import { StoreEngine } from '../engine/store-engine.ts';
import { readAdditions } from '../extend/additions.ts';
import { checkAdditions } from '../extend/check-additions.ts';
import type { LoadedExtension } from '../extend/load.ts';
import { imageContentOf } from '../load/image-snapshot.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import type { UploadedFiles } from '../load/uploaded-files.ts';
import { type ContentVersion, firstVersion, nextVersion } from '../store/content-version.ts';
import type { Store } from '../store/store.ts';
import type { Tag } from '../store/tags.ts';
import type { StaleParts } from './change-feed.ts';
import { checkSettings } from './check-settings.ts';
import { type ContentSummary, summarize, summarizeStore } from './summary.ts';

/** The values of the header `Strapi-Response-Format`, in lower case. */
export const formats: ReadonlyMap<string, Format> = new Map([
  ['v4', 'nested'],
  ['v5', 'flat'],
]);

/** A snapshot as it is served: its engine, and what it decides about replies. */
export interface ActiveSnapshot {
  /** The snapshot with all changes since it was loaded. */
  readonly loaded: LoadedSnapshot;
  /** The version of the snapshot without changes. */
  readonly base: ContentVersion;
  readonly engine: StoreEngine;
  /** The format of replies to requests that name none. */
  readonly format: Format;
  readonly summary: ContentSummary;
}

/** What stays the same when the snapshot is replaced. */
export interface ContentConfiguration {
  readonly settings: Settings;
  readonly sourceOf: SourceOf;
  readonly extension: LoadedExtension | null;
  /** Paths of the routes of the extension, with the prefix. */
  readonly customRoutes: string[];
}

/**
 * Prepares a snapshot for serving. `started` is when loading began, as `performance.now()` counts. Uses the `earlier`
 * catalog if the schema is the same. Throws a ConfigError if the settings contradict the snapshot.
 */
export function activateSnapshot(
  loaded: LoadedSnapshot,
  { settings, sourceOf, extension, customRoutes }: ContentConfiguration,
  started: number,
  earlier: Catalog | null,
): ActiveSnapshot {
  const { store, tolerance, dialect, types, version = firstVersion() } = loaded;
  const withoutEffect = checkSettings(settings, loaded, sourceOf, extension?.customRoutes.actions);
  const additions = readAdditions(settings, sourceOf, dialect, extension);
  const catalog = earlier?.serves(store, dialect) ? earlier : new Catalog(store, dialect, settings, additions);
  const problems = [
    ...withoutEffect,
    ...checkAdditions({ settings, sourceOf, extension, additions, tolerance }, catalog),
  ];
  const access = accessOf(loaded, rolesOf(loaded, settings));
  const engine = new StoreEngine(catalog, { store, version, types, access }, settings);
  const responseFormat = settings.responseFormat ?? (dialect.strapiMajorVersion === 4 ? 'v4' : 'v5');
  const summary = summarize(loaded, catalog, {
    responseFormat,
    customRoutes,
    loadMilliseconds: performance.now() - started,
    warnings: [...loaded.warnings, ...problems.map((message) => warning('wrong-setting', message))],
  });
  return { loaded: { ...loaded, version }, base: version, engine, format: formats.get(responseFormat)!, summary };
}

/** A batch that is valid for a snapshot, with what it leads to. */
export interface PreparedChange {
  readonly from: ActiveSnapshot;
  readonly batch: Batch;
  readonly loaded: LoadedSnapshot;
  readonly access: StoreAccess;
  readonly catalog: Catalog;
  /** The tags of what differs. */
  readonly stale: ReadonlySet<Tag> | null;
}

/** Returns what the changes of a batch are validated against, besides the store. */
function batchOptions(loaded: LoadedSnapshot, { mediaUrl }: Settings): BatchOptions {
  const { kind, dialect, roles, blockedUsers, uploadedFiles } = loaded;
  return { kind, dialect, mediaUrl, roles, blockedUsers, uploadNames: uploadedFiles?.names ?? null };
}

/** Validates a value as a batch. Changes nothing. Throws a SnapshotError that lists the errors of the batch. */
export function prepareBatch(
  active: ActiveSnapshot,
  value: unknown,
  configuration: ContentConfiguration,
): PreparedChange {
  const problems = new Problems(active.loaded.tolerance, 'batch');
  const batch = readBatch(value, problems);
  if (!batch) problems.throwIfAny();
  const options = batchOptions(active.loaded, configuration.settings);
  return preparedChange(active, batch!, applyBatch(active.engine.store, batch!, problems, options), configuration);
}

/** As `prepareBatch`, for a list of changes in JSON. */
export function prepareJson(
  active: ActiveSnapshot,
  changes: unknown,
  configuration: ContentConfiguration,
): PreparedChange {
  const { store } = active.engine;
  const problems = new Problems(active.loaded.tolerance, 'batch');
  const { batch, built } = prepareChanges(
    store,
    changes,
    problems,
    batchOptions(active.loaded, configuration.settings),
  );
  return preparedChange(active, batch, applyBuilt(store, built), configuration);
}

function preparedChange(
  active: ActiveSnapshot,
  batch: Batch,
  applied: AppliedBatch,
  { settings, sourceOf, extension }: ContentConfiguration,
): PreparedChange {
  const { loaded: before, engine } = active;
  const { loaded, stale } = loadedAfter(before, applied);
  const { store, dialect } = loaded;
  const newAccess = accessOf(loaded, loaded.roles === before.roles ? engine.access.roles : rolesOf(loaded, settings));
  const catalog = engine.catalog.serves(store, dialect)
    ? engine.catalog
    : new Catalog(store, dialect, settings, readAdditions(settings, sourceOf, dialect, extension));
  return { from: active, batch, loaded, access: newAccess, catalog, stale };
}

/** A snapshot after a batch of changes. */
export interface ChangedSnapshot {
  readonly active: ActiveSnapshot;
  /** What the batch made stale; null if every reply may differ. */
  readonly stale: StaleParts | null;
}

/**
 * Returns the snapshot after a change. It takes over what the engine of the snapshot before remembers: serve that one no
 * longer.
 */
export function commitChange(
  { from, loaded, access, catalog, stale }: PreparedChange,
  settings: Settings,
): ChangedSnapshot {
  const { engine, summary } = from;
  const { store, types } = loaded;
  const isServed = catalog === engine.catalog;
  const next = isServed
    ? engine.change(store, access, stale)
    : new StoreEngine(catalog, { store, version: nextVersion(engine.version), types, access }, settings);
  const hasSameRoles = loaded.roles === from.loaded.roles;
  return {
    active: { ...from, loaded, engine: next, summary: { ...summary, ...summarizeStore(store, catalog) } },
    stale: isServed && hasSameRoles && stale ? { before: engine.store, after: store, tags: stale } : null,
  };
}

/** Returns the files of a snapshot that was loaded again, with the names that changes have added to those before. */
export function filesAfterChanges(files: UploadedFiles | null, before: UploadedFiles | null): UploadedFiles | null {
  return files && before ? withNames(files, before.names) : files;
}

/**
 * Returns the loaded snapshot after a batch of changes, and the tags of what differs (null: everything may). Throws a
 * SnapshotError that lists the errors of the batch.
 */
export function changeLoaded(
  before: LoadedSnapshot,
  batch: Batch,
  settings: Settings,
): { loaded: LoadedSnapshot; stale: ReadonlySet<Tag> | null } {
  const problems = new Problems(before.tolerance, 'batch');
  return loadedAfter(before, applyBatch(before.store, batch, problems, batchOptions(before, settings)));
}

function loadedAfter(
  before: LoadedSnapshot,
  { store, access, stale }: AppliedBatch,
): { loaded: LoadedSnapshot; stale: ReadonlySet<Tag> | null } {
  const { uploadedFiles } = before;
  const loaded: LoadedSnapshot = {
    ...before,
    store,
    roles: access.roles,
    blockedUsers: access.blockedUsers,
    uploadedFiles: uploadedFiles && withNames(uploadedFiles, access.uploadNames),
  };
  return { loaded, stale };
}

/** Returns the snapshot with the same content in a store with another base. Serve the given one no longer. */
export function rebaseSnapshot(active: ActiveSnapshot, store: Store): ActiveSnapshot {
  const loaded = { ...active.loaded, store };
  const { engine } = active;
  return { ...active, loaded, engine: engine.rebase(store, accessOf(loaded, engine.access.roles)) };
}

/** Only a folder can hold files that were added since the snapshot was loaded. */
function withNames(files: UploadedFiles, names: ReadonlySet<string> | null): UploadedFiles {
  return files.kind === 'folder' ? { ...files, names } : files;
}

function rolesOf({ roles, store }: LoadedSnapshot, settings: Settings): Roles {
  return new Roles([...roles, ...settings.roles], settings.public ? () => publicActions(store.schema) : undefined);
}

function accessOf({ store, blockedUsers, emailConfirmation, dialect }: LoadedSnapshot, roles: Roles): StoreAccess {
  const { ignoresOtherCredentials } = dialect.access;
  return new StoreAccess(store, { roles, blockedUsers, emailConfirmation, ignoresOtherCredentials });
}

/** Returns a digest of the content with all that is loaded beside it, but not of the uploaded files. */
export function identityOf(loaded: LoadedSnapshot): string {
  const { store, ...rest } = imageContentOf(loaded, undefined);
  return hash('sha256', JSON.stringify([store.contentDigest, rest]));
}
