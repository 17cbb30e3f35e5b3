import { hash } from 'node:crypto';
import { publicActions } from '../access/public-access.ts';
import { Roles } from '../access/roles.ts';
import { warning } from '../base/problems.ts';
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
import { checkSettings } from './check-settings.ts';
import { type ContentSummary, summarize } from './summary.ts';

/** The values of the header `Strapi-Response-Format`, in lower case. */
export const formats: ReadonlyMap<string, Format> = new Map([
  ['v4', 'nested'],
  ['v5', 'flat'],
]);

/** A snapshot as it is served: its engine, and what it decides about replies. */
export interface ActiveSnapshot {
  readonly engine: StoreEngine;
  /** The format of replies to requests that name none. */
  readonly format: Format;
  readonly summary: ContentSummary;
  /** Equal for snapshots that are served alike. */
  readonly identity: string;
}

/** What stays the same when the snapshot is replaced. */
interface ContentConfiguration {
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
  const { store, tolerance, dialect, types, blockedUsers, emailConfirmation } = loaded;
  const withoutEffect = checkSettings(settings, loaded, sourceOf, extension?.customRoutes.actions);
  const additions = readAdditions(settings, sourceOf, dialect, extension);
  const catalog = earlier?.serves(store, dialect) ? earlier : new Catalog(store, dialect, settings, additions);
  const problems = [
    ...withoutEffect,
    ...checkAdditions({ settings, sourceOf, extension, additions, tolerance }, catalog),
  ];
  const roles = new Roles(
    [...loaded.roles, ...settings.roles],
    settings.public ? () => publicActions(store.schema) : undefined,
  );
  const { ignoresOtherCredentials } = dialect.access;
  const access = new StoreAccess(store, { roles, blockedUsers, emailConfirmation, ignoresOtherCredentials });
  const engine = new StoreEngine(catalog, { store, types, access }, settings);
  const responseFormat = settings.responseFormat ?? (dialect.strapiMajorVersion === 4 ? 'v4' : 'v5');
  const summary = summarize(loaded, catalog, {
    responseFormat,
    customRoutes,
    loadMilliseconds: performance.now() - started,
    warnings: [...loaded.warnings, ...problems.map((message) => warning('wrong-setting', message))],
  });
  return { engine, format: formats.get(responseFormat)!, summary, identity: identityOf(loaded) };
}

/** Returns a digest of the content with all that is loaded beside it, but not of the uploaded files. */
export function identityOf(loaded: LoadedSnapshot): string {
  const { store, ...rest } = imageContentOf(loaded, undefined);
  return hash('sha256', JSON.stringify([store.contentDigest, rest]));
}
