import { type DialectName, dialectFor } from '../../core/dialect.ts';
import { SnapshotError } from '../../core/errors.ts';
import { type SnapshotWarning, warning } from '../../core/problems.ts';
import { fileType } from '../../model/schema/schema.ts';
import type { SnapshotType } from '../../model/schema/type-definition.ts';
import type { Collection } from '../../store/collection.ts';
import { deriveForDialect } from '../../store/writer/rows/json-texts.ts';
import { mediaRewrites } from '../../store/writer/rows/media-urls.ts';
import { checkUnchanged, fileSignature } from '../files.ts';
import { addressesOf, defaultTolerance, type LoadedSnapshot, type LoadOptions } from '../loaded.ts';
import type { UploadedFiles } from '../uploaded-files.ts';
import type { ImageContent } from './describe-content.ts';
import { refused } from './format.ts';
import { readImage } from './read-image.ts';

/** The kind of the warning that a start derives what the dialect of an image lacks. */
const otherDialect = 'other-dialect';

/** Returns what an image of a loaded snapshot holds. */
export function imageContentOf(loaded: LoadedSnapshot): ImageContent {
  const { store, types, kind, strapiVersion, dialect, roles, emailConfirmation, inferred, warnings } = loaded;
  const { mediaUrl = null, uploadsOrigins } = loaded.addresses;
  const blockedUsers = [...loaded.blockedUsers].sort();
  const tokens = loaded.apiTokens?.length ? { apiTokens: loaded.apiTokens } : {};
  const uploads = uploadNames(loaded.uploadedFiles);
  const origins = uploadsOrigins?.length ? { uploadsOrigins } : {};
  const source = { kind, strapiVersion, dialect: dialect.name, mediaUrl, ...origins };
  return {
    store,
    facts: { ...source, roles, emailConfirmation, blockedUsers, ...tokens, uploads },
    types: types.map(withoutLocation),
    // the new image is of this dialect
    notices: { inferred, warnings: warnings.filter(({ kind }) => kind !== otherDialect) },
  };
}

/** Returns the folder beside an image in which its uploaded files are: `content.uploads` of `content.lectern`. */
export function uploadsBeside(image: string): string {
  return `${image.replace(/\.lectern$/, '')}.uploads`;
}

/** Loads the image at a path. Throws a SnapshotError. */
export async function loadImage(path: string, options: LoadOptions): Promise<LoadedSnapshot> {
  const before = await fileSignature(path);
  const content = await readImage(path, options.allocator, options.isOwnImage);
  await checkUnchanged(path, before);
  const { facts, notices } = content;
  if (options.tolerance === 'strict' && notices.warnings.length > 0) {
    throw new SnapshotError(notices.warnings.map(({ message }) => `${path}: ${message}`));
  }
  checkSetting(path, 'mediaUrl', facts.mediaUrl, options.mediaUrl);
  checkSetting(path, 'uploadsOrigins', facts.uploadsOrigins?.join(','), options.uploadsOrigins?.join(','));
  const name = options.dialect ?? facts.dialect;
  const { store, warnings } = storeFor(path, content, name, options);
  const loaded = snapshotOf({ ...content, store, facts: { ...facts, dialect: name } });
  const { uploads } = facts;
  const uploadedFiles = uploads && filesBeside(path, uploads);
  const tolerance = options.tolerance ?? defaultTolerance(facts.kind);
  return { ...loaded, tolerance, uploadedFiles, warnings: [...loaded.warnings, ...warnings] };
}

/** Throws if an image was built with another value of a setting that its rows depend on. No value counts as empty. */
function checkSetting(path: string, name: string, built: string | null = '', asked: string | null = ''): void {
  if ((built || null) === (asked || null)) return;
  const before = built ? `with the ${name} ${built}` : `without ${name}`;
  const now = asked ? `with ${asked}` : 'without it';
  throw refused(path, `the image was built ${before} and is opened ${now}. Give the same, or build it again`);
}

/** Returns the snapshot that `imageContentOf` was given, without what the options of a load decide. */
export function snapshotOf({
  store,
  facts,
  types,
  notices,
}: ImageContent): Omit<LoadedSnapshot, 'uploadedFiles' | 'tolerance'> {
  const { kind, strapiVersion, dialect, roles, emailConfirmation, blockedUsers, apiTokens } = facts;
  const { mediaUrl, uploadsOrigins } = facts;
  return {
    kind,
    strapiVersion,
    dialect: dialectFor(dialect, strapiVersion),
    store,
    types,
    addresses: addressesOf({ mediaUrl: mediaUrl ?? undefined, uploadsOrigins }),
    roles,
    emailConfirmation,
    blockedUsers: new Set(blockedUsers),
    apiTokens,
    inferred: notices.inferred,
    warnings: notices.warnings,
  };
}

/** Returns the store of an image as the queries of a dialect need it. */
function storeFor(
  path: string,
  { store, facts }: ImageContent,
  name: DialectName,
  { allocator }: LoadOptions,
): { store: ImageContent['store']; warnings: SnapshotWarning[] } {
  if (name === facts.dialect) return { store, warnings: [] };
  const started = performance.now();
  const rewrites = facts.mediaUrl === null ? null : mediaRewrites(facts.mediaUrl);
  const isRewritten = ({ type }: Collection, attribute: string) => type.uid === fileType && !!rewrites?.has(attribute);
  const derived = deriveForDialect(store, dialectFor(name, facts.strapiVersion).derived, isRewritten, allocator);
  if (!derived) {
    throw refused(
      path,
      `an image of the dialect ${facts.dialect} with a mediaUrl cannot be opened in the dialect ${name}. ` +
        `Build it again with --dialect ${name}`,
    );
  }
  const took = Math.round(performance.now() - started);
  const message =
    `${path} was built for the dialect ${facts.dialect}: what the dialect ${name} needs was derived in ${took} ms ` +
    `(build it with --dialect ${name} to save the time at each start)`;
  return { store: derived, warnings: [warning(otherDialect, message)] };
}

function uploadNames(files: UploadedFiles | null): ImageContent['facts']['uploads'] {
  if (!files) return null;
  return files.names === null ? 'all' : [...files.names].sort();
}

function filesBeside(image: string, uploads: readonly string[] | 'all'): UploadedFiles {
  return { kind: 'folder', path: uploadsBeside(image), names: uploads === 'all' ? null : new Set(uploads) };
}

/** The location of a definition names a file of the machine that built the image. */
function withoutLocation(type: SnapshotType & { location?: string }): SnapshotType {
  const { location, ...written } = type;
  return written;
}
