/// <reference types="node" preserve="true" />
/** Lectern as a library: `open` a snapshot, then `find` in it, or mount its `router`. `diff` compares two. */

import { diffSnapshots } from './changes/diff/diff-snapshots.ts';
import type { SnapshotDifferences } from './changes/diff/differences.ts';
import type { Content } from './content/content.ts';
import { openContent } from './content/open.ts';
import type { TypedContent } from './content/typed-content.ts';
import type { JsonSnapshot } from './load/json/json-source.ts';
import { loadSnapshot } from './load/load.ts';
import { loadSettingsOf } from './load/loaded.ts';
import type { OpenOptions } from './model/settings/config.ts';
import { readOptions } from './model/settings/read-config.ts';

export type { Batch, BatchEntity, BatchLinks, LinkTarget } from './changes/batch/batch.ts';
export type { Change, Condition, Deletion, Patch, Upsert } from './changes/batch/json-change.ts';
export type { Unlinked, UnlinkedReference } from './changes/batch/unlinked.ts';
export type { EntryDifference, EntryKey, SnapshotDifferences } from './changes/diff/differences.ts';
export type { ComponentPatch, NodePatch } from './changes/entries/node-patch.ts';
export type { Content } from './content/content.ts';
export type { TypedContent } from './content/typed-content.ts';
export type { StaleEvent } from './content/versions/change-feed.ts';
export type { RecentVersion } from './content/versions/kept-versions.ts';
export type { PinnedVersion } from './content/versions/served-version.ts';
export type { ContentSummary } from './content/versions/summary.ts';
export { RequestError, SnapshotError } from './core/errors.ts';
export type { SnapshotWarning } from './core/problems.ts';
export type { OpenApiDocument } from './description/openapi/openapi.ts';
export type {
  CustomReply,
  CustomRoute,
  Extension,
  HandlerContext,
  QueryHook,
  ReplyParts,
} from './engine/additions/extension.ts';
export { defineExtension } from './engine/additions/extension.ts';
export type { Explanation } from './engine/trace.ts';
export type { JsonSnapshot } from './load/json/json-source.ts';
export type { RoleDefinition, TokenDefinition } from './model/access/definitions.ts';
export type { OpenOptions } from './model/settings/config.ts';
export { ConfigError } from './model/settings/config.ts';
export type { Found, LibraryRead, Query } from './query/library.ts';
export type { Reply } from './query/reply/reply.ts';

/**
 * Loads a snapshot and serves it from memory. The source is a JSON snapshot (a folder, a `.json` file or an object), a
 * Strapi export (an archive or an unpacked folder) or an image. Throws a SnapshotError that lists what is wrong with
 * it, or a ConfigError.
 */
export async function open(source: string | JsonSnapshot, options?: OpenOptions): Promise<Content>;
/** The same, with `find` and `findOne` by the types that `lectern types` writes: `open<Schema>('content')`. */
export async function open<Schema>(source: string | JsonSnapshot, options?: OpenOptions): Promise<TypedContent<Schema>>;
export async function open(source: string | JsonSnapshot, options: OpenOptions = {}): Promise<unknown> {
  return openContent(source, readOptions(options), () => 'options');
}

/**
 * Loads two snapshots and returns what changed from the first to the second. Throws a SnapshotError if one of them does
 * not load, or a ConfigError.
 */
export async function diff(
  before: string | JsonSnapshot,
  after: string | JsonSnapshot,
  options: Pick<OpenOptions, 'tolerance' | 'dialect' | 'mediaUrl' | 'uploadsOrigins'> = {},
): Promise<SnapshotDifferences> {
  const settings = loadSettingsOf(readOptions(options));
  const load = (source: string | JsonSnapshot) => loadSnapshot(source, settings);
  return diffSnapshots(await load(before), await load(after));
}
