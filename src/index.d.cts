/**
 * The types of `require('lectern')`. Node gives CommonJS the ES module itself, but compilers in the mode `node16` do not
 * let CommonJS import one. Names the same things as index.ts.
 */
import type * as library from './index.js' with { 'resolution-mode': 'import' };

export declare const open: typeof library.open;
export declare const diff: typeof library.diff;
export declare const defineExtension: typeof library.defineExtension;
export declare const ConfigError: typeof library.ConfigError;
export declare const RequestError: typeof library.RequestError;
export declare const SnapshotError: typeof library.SnapshotError;

export type ConfigError = library.ConfigError;
export type RequestError = library.RequestError;
export type SnapshotError = library.SnapshotError;
export type {
  Batch,
  BatchEntity,
  BatchLinks,
  Change,
  ComponentPatch,
  Condition,
  Content,
  ContentSummary,
  CustomReply,
  CustomRoute,
  Deletion,
  EntryDifference,
  EntryKey,
  Explanation,
  Extension,
  Found,
  HandlerContext,
  JsonSnapshot,
  LibraryRead,
  LinkTarget,
  NodePatch,
  OpenApiDocument,
  OpenOptions,
  Patch,
  PinnedVersion,
  Query,
  QueryHook,
  RecentVersion,
  Reply,
  ReplyParts,
  RoleDefinition,
  SnapshotDifferences,
  SnapshotWarning,
  StaleEvent,
  TokenDefinition,
  TypedContent,
  Unlinked,
  UnlinkedReference,
  Upsert,
} from './index.js' with { 'resolution-mode': 'import' };
