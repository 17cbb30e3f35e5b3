/// <reference types="node" preserve="true" />
/** Lectern as a library: `open` a snapshot, then `find` in it, or mount its `router`. */
import type { OpenOptions } from './config/config.ts';
import { readOptions } from './config/read-config.ts';
import { Content } from './content.ts';
import { loadExtension } from './extend/load.ts';
import type { JsonSnapshot } from './load/json/json-source.ts';
import { loadSnapshot } from './load/load.ts';
import { checkUploads, openUploads } from './media/open-uploads.ts';

export type { RoleDefinition, TokenDefinition } from './access/definitions.ts';
export { RequestError, SnapshotError } from './base/errors.ts';
export type { SnapshotWarning } from './base/problems.ts';
export type { OpenOptions } from './config/config.ts';
export { ConfigError } from './config/config.ts';
export type { Content } from './content.ts';
export type { ContentSummary } from './engine/summary.ts';
export type { Explanation } from './engine/trace.ts';
export type {
  CustomReply,
  CustomRoute,
  Extension,
  HandlerContext,
  QueryHook,
  ReplyParts,
} from './extend/extension.ts';
export { defineExtension } from './extend/extension.ts';
export type { JsonSnapshot } from './load/json/json-source.ts';
export type { Found, Query } from './query/library.ts';
export type { Reply } from './reply/reply.ts';

/**
 * Loads a snapshot and serves it from memory: the folder of a JSON snapshot or the snapshot itself, or a Strapi export
 * (archive or unpacked folder). Throws a SnapshotError that lists what is wrong with it, or a ConfigError.
 */
export async function open(source: string | JsonSnapshot, options: OpenOptions = {}): Promise<Content> {
  const settings = readOptions(options);
  // before the snapshot, which takes longer
  const extension = settings.extend === undefined ? null : await loadExtension(settings.extend);
  const started = performance.now();
  await checkUploads(settings);
  const { tolerance, dialect, mediaUrl } = settings;
  const loaded = await loadSnapshot(source, { tolerance, dialect, mediaUrl });
  const uploads = await openUploads(settings, loaded.uploadedFiles);
  return new Content(loaded, settings, started, { extension, uploads });
}
