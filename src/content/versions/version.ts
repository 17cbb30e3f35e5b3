import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { warning } from '../../core/problems.ts';
import type { Steps } from '../../core/steps.ts';
import { readAdditions } from '../../engine/additions/additions.ts';
import { checkAdditions } from '../../engine/additions/check-additions.ts';
import type { LoadedExtension } from '../../engine/additions/load.ts';
import type { Format } from '../../engine/bound-request.ts';
import { Catalog } from '../../engine/catalog.ts';
import { StoreAccess } from '../../engine/store-access.ts';
import { StoreEngine } from '../../engine/store-engine.ts';
import { imageContentOf } from '../../load/image/load-image.ts';
import type { LoadedAccess, LoadedSnapshot, VersionedSnapshot } from '../../load/loaded.ts';
import { publicActions } from '../../model/access/actions.ts';
import { noCredentials, StoredCredentials } from '../../model/access/credentials.ts';
import { Roles } from '../../model/access/permissions.ts';
import type { Settings } from '../../model/settings/config.ts';
import type { SourceOf } from '../../model/settings/setting-problems.ts';
import { exceedEpoch, firstVersion } from '../../store/content-version.ts';
import type { ShownDrafts } from '../../store/drafts/redirected-links.ts';
import { showDraftsInSteps } from '../../store/drafts/show-drafts.ts';
import type { Store } from '../../store/store.ts';
import { checkSettings } from './check-settings.ts';
import { type ContentSummary, summarize } from './summary.ts';

/** The values of the header `Strapi-Response-Format`, in lower case. */
export const formats: ReadonlyMap<string, Format> = new Map([
  ['v4', 'nested'],
  ['v5', 'flat'],
]);

/** A snapshot as it is served: its engine, and what it decides about replies. */
export interface Version {
  /** The snapshot with all changes since it was loaded. Where drafts are shown, the engine has another store. */
  readonly loaded: VersionedSnapshot;
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
 * catalog if the schema is the same. `shown` is the store as requests read it. Throws a ConfigError if the settings
 * contradict the snapshot.
 */
export function prepareVersion(
  loaded: LoadedSnapshot,
  { settings, sourceOf, extension, customRoutes }: ContentConfiguration,
  started: number,
  earlier: Catalog | null,
  shown: Store,
): Version {
  const { store, tolerance, dialect, types, version = firstVersion() } = loaded;
  exceedEpoch(version);
  const withoutEffect = checkSettings(settings, loaded, sourceOf, extension?.customRoutes.actions);
  const additions = readAdditions(settings, sourceOf, dialect, extension);
  const catalog = earlier?.serves(store, dialect) ? earlier : new Catalog(store, dialect, settings, additions);
  const problems = [
    ...withoutEffect,
    ...checkAdditions({ settings, sourceOf, extension, additions, tolerance }, catalog),
  ];
  const access = accessOf(loaded, rolesOf(loaded, settings), credentialsOf(loaded, settings));
  const engine = new StoreEngine(catalog, { store: shown, version, types, access }, settings);
  const responseFormat = settings.responseFormat ?? (dialect.strapiMajorVersion === 4 ? 'v4' : 'v5');
  const summary = summarize(loaded, catalog, {
    responseFormat,
    customRoutes,
    loadMilliseconds: performance.now() - started,
    warnings: [...loaded.warnings, ...problems.map((message) => warning('wrong-setting', message))],
  });
  return { loaded: { ...loaded, version }, engine, format: formats.get(responseFormat)!, summary };
}

/**
 * Returns the version over a store with the same content and another base, which requests read as `shown`. Takes over
 * the memory of the engine of `before`: serve that no longer.
 */
export function rebaseVersion(before: Version, store: Store, shown: Store): Version {
  const loaded = { ...before.loaded, store };
  const { engine } = before;
  const access = accessOf(loaded, engine.access.roles, engine.access.credentials);
  return { ...before, loaded, engine: engine.rebase(shown, access) };
}

/** Returns the version with other tokens and secrets. Replies stay cached, as they depend on permissions. */
export function withAccess(before: Version, access: LoadedAccess, settings: Settings): Version {
  const isOther = !isDeepStrictEqual(accessIn(access), accessIn(before.loaded));
  return isOther ? identifiedBy(before, access, credentialsOf(access, settings)) : before;
}

/** Returns the version with the tokens and secrets of another one. */
export function withAccessOf(before: Version, { loaded, engine }: Version): Version {
  return identifiedBy(before, loaded, engine.access.credentials);
}

function identifiedBy(before: Version, given: LoadedAccess, credentials: StoredCredentials): Version {
  const loaded = { ...before.loaded, ...accessIn(given) };
  const { engine } = before;
  return { ...before, loaded, engine: engine.withAccess(accessOf(loaded, engine.access.roles, credentials)) };
}

function accessIn({ apiTokens, secrets, emailConfirmation }: LoadedAccess): LoadedAccess {
  return { apiTokens, secrets, emailConfirmation };
}

/** Returns the store as requests read it. `earlier` is as in `showDraftsInSteps`. */
export function* shownStoreInSteps(
  store: Store,
  { drafts }: Settings,
  earlier: ShownDrafts | null = null,
): Steps<Store> {
  return drafts ? yield* showDraftsInSteps(store, earlier) : store;
}

/** Returns the roles of a snapshot and of the settings. */
export function rolesOf({ roles, store }: LoadedSnapshot, settings: Settings): Roles {
  return new Roles([...roles, ...settings.roles], settings.public ? () => publicActions(store.schema) : undefined);
}

/** Returns the API tokens and secrets that a snapshot is served with. Changes of its content leave them as they are. */
function credentialsOf({ apiTokens, secrets }: LoadedAccess, settings: Settings): StoredCredentials {
  return settings.strapiCredentials && secrets ? new StoredCredentials(apiTokens, secrets) : noCredentials;
}

/** Returns who may read what in a store. */
export function accessOf(
  { store, blockedUsers, emailConfirmation, dialect }: LoadedSnapshot,
  roles: Roles,
  credentials: StoredCredentials,
): StoreAccess {
  const { ignoresOtherCredentials } = dialect.access;
  return new StoreAccess(store, { roles, blockedUsers, emailConfirmation, credentials, ignoresOtherCredentials });
}

/** Whether two snapshots have the same content with all that is loaded beside it. Does not look at uploaded files. */
export function isSameSnapshot(one: LoadedSnapshot, other: LoadedSnapshot): boolean {
  return isDeepStrictEqual(one.secrets, other.secrets) && identityOf(one) === identityOf(other);
}

/** Returns a digest of the content with all that is loaded beside it, but its version, secrets and uploaded files. */
export function identityOf(loaded: LoadedSnapshot): string {
  const { store, types, version: _, ...rest } = imageContentOf(loaded);
  const sorted = types.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  return hash('sha256', JSON.stringify([store.contentDigest, sorted, rest]));
}
