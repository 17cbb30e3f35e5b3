import type { DatabaseName, DialectName, MysqlTables } from '../../core/dialect.ts';
import type { Allocator } from '../../core/memory/allocator.ts';
import type { SnapshotWarning } from '../../core/problems.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import type { ApiToken, RoleDefinition } from '../../model/access/definitions.ts';
import { type EntryType, Schema } from '../../model/schema/schema.ts';
import type { SnapshotType } from '../../model/schema/type-definition.ts';
import { attachStore, describeStoreInSteps, type StoreManifest } from '../../store/attach-store.ts';
import type { ContentVersion } from '../../store/content-version.ts';
import { type ArrayView, arraysOver, viewsOf } from '../../store/flat-arrays.ts';
import type { Store } from '../../store/store.ts';

/** Content as a manifest and the memory of its store. It can be written to a file or sent to another thread. */
export interface DescribedContent {
  readonly manifest: ContentManifest;
  /** Each buffer once. */
  readonly buffers: readonly ArrayBufferLike[];
}

/** Plain data, which can be cloned and written as JSON. */
interface ContentManifest {
  readonly documents: ContentDocuments;
  /** Where each array of the store is in the buffers. */
  readonly views: readonly ArrayView[];
}

/** Everything but where the arrays are, so that equal content has equal documents. */
export interface ContentDocuments extends Omit<ImageContent, 'store'> {
  /** The entry types of the schema. */
  readonly schema: readonly WrittenEntryType[];
  /** Names and shapes of the arrays. */
  readonly store: StoreManifest;
}

type WrittenEntryType = Omit<EntryType, 'attributes'> & { readonly attributes: readonly Attribute[] };
type Attribute = NonNullable<ReturnType<EntryType['attributes']['get']>>;

/** As `describeContentInSteps`, at once. */
export function describeContent(content: ImageContent, allocator?: Allocator): DescribedContent {
  return runAtOnce(describeContentInSteps(content, allocator));
}

/**
 * The buffers are those of the store: they are not copied. The JSON, texts and links of changed rows are, the first two
 * to memory of `allocator`. A step takes a time that grows with the changes of one column.
 */
export function* describeContentInSteps(
  { store, ...rest }: ImageContent,
  allocator?: Allocator,
): Steps<DescribedContent> {
  const { manifest, arrays } = yield* describeStoreInSteps(store, allocator);
  const schema = Array.from(store.schema.types.values(), (type) => {
    return { ...type, attributes: Array.from(type.attributes.values()) };
  });
  const { views, buffers } = viewsOf(arrays);
  return { manifest: { documents: { ...rest, schema, store: manifest }, views }, buffers };
}

/**
 * Returns the content over the same memory, in any thread. Takes time for each attribute and for the changes, but none
 * that grows with other rows. Throws if the buffers do not fit the manifest.
 */
export function attachContent(described: DescribedContent): ImageContent {
  const { schema, store, ...rest } = described.manifest.documents;
  return { ...rest, store: attachStoreOf(schemaOf(schema), described) };
}

/** Returns the store of described content. `schema` is equal to that of the content. Throws as `attachContent` does. */
export function attachStoreOf(schema: Schema, { manifest: { documents, views }, buffers }: DescribedContent): Store {
  const { store: manifest } = documents;
  return attachStore(schema, { manifest, arrays: arraysOver(manifest.arrays, views, buffers) });
}

/**
 * Returns the buffers that a message to another thread has to transfer, so that they are not copied. Whoever transfers
 * them cannot read the content any more. Threads read shared buffers in common.
 */
export function transferList({ buffers }: DescribedContent): ArrayBuffer[] {
  return buffers.filter((buffer) => buffer instanceof ArrayBuffer);
}

export function schemaOf(types: ContentDocuments['schema']): Schema {
  return new Schema(types.map(entryTypeOf));
}

function entryTypeOf({ attributes, ...type }: WrittenEntryType): EntryType {
  return { ...type, attributes: new Map(attributes.map((attribute) => [attribute.name, attribute])) };
}

/** What an image holds: a store, and what a start needs besides. */
export interface ImageContent {
  readonly store: Store;
  readonly facts: ImageFacts;
  /** The definitions of all content types and components. */
  readonly types: readonly SnapshotType[];
  readonly notices: ImageNotices;
  /** The version that was served with this content. Absent in an image of content that was never served. */
  readonly version?: ContentVersion;
}

export interface ImageFacts {
  /** The kind of snapshot that the image was built from. */
  readonly kind: 'json' | 'strapi';
  readonly strapiVersion: string | null;
  /** The dialect that the store was built for. */
  readonly dialect: DialectName;
  /** The database whose rules it was built for. Absent for postgres, and in older images. */
  readonly database?: DatabaseName;
  /** What the tables of a MySQL or MariaDB database say. Absent for others. */
  readonly mysql?: MysqlTables;
  /** The setting that the addresses of media files in replies begin with; null without one. */
  readonly mediaUrl: string | null;
  /** The setting by which addresses in texts were rewritten, sorted. Absent without any, and in older images. */
  readonly uploadsOrigins?: readonly string[];
  readonly roles: readonly RoleDefinition[];
  readonly emailConfirmation: boolean;
  /** documentIds, sorted. */
  readonly blockedUsers: readonly string[];
  /** Of no use without their salt, which no image holds. Absent without any, and in older images. */
  readonly apiTokens?: readonly ApiToken[];
  /** File names, sorted; `all` for every file of a folder; null without files. */
  readonly uploads: readonly string[] | 'all' | null;
}

/** What is printed at a start and decides nothing. */
interface ImageNotices {
  readonly inferred: readonly string[] | null;
  readonly warnings: readonly SnapshotWarning[];
}
