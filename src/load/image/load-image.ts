import { type Dialect, dialectFor } from '../../core/dialect.ts';
import { SnapshotError } from '../../core/errors.ts';
import { formatNumber, type SnapshotWarning, warning } from '../../core/problems.ts';
import { fileType } from '../../model/schema/schema.ts';
import type { SnapshotType } from '../../model/schema/type-definition.ts';
import type { Collection } from '../../store/collection.ts';
import { deriveForDialect } from '../../store/writer/rows/compared-texts.ts';
import { mediaRewrites } from '../../store/writer/rows/media-urls.ts';
import { indexSearched } from '../build-store.ts';
import { checkUnchanged, fileSignature } from '../files.ts';
import { addressesOf, countUsers, defaultTolerance, type LoadedSnapshot, type LoadOptions } from '../loaded.ts';
import type { UploadedFiles } from '../uploaded-files.ts';
import type { ImageContent } from './describe-content.ts';
import { refused } from './format.ts';
import { readImage } from './read-image.ts';

/** The kind of the warning that a start derives what the dialect of an image lacks. */
const otherDialect = 'other-dialect';

/** Returns what an image of a loaded snapshot holds. */
export function imageContentOf(loaded: LoadedSnapshot): ImageContent {
  const { store, types, kind, strapiVersion, dialect, roles, emailConfirmation, inferred, warnings, version } = loaded;
  const { mediaUrl = null, uploadsOrigins } = loaded.addresses;
  const blockedUsers = [...loaded.blockedUsers].sort();
  const tokens = loaded.apiTokens?.length ? { apiTokens: loaded.apiTokens } : {};
  const uploads = uploadNames(loaded.uploadedFiles);
  const origins = uploadsOrigins?.length ? { uploadsOrigins } : {};
  const database = dialect.database === 'postgres' ? {} : { database: dialect.database };
  const mysql = dialect.mysql ? { mysql: dialect.mysql } : {};
  const source = { kind, strapiVersion, dialect: dialect.name, ...database, ...mysql, mediaUrl, ...origins };
  return {
    store,
    facts: { ...source, roles, emailConfirmation, blockedUsers, ...tokens, uploads },
    types: types.map(withoutLocation),
    // the new image is of this dialect
    notices: { inferred, warnings: warnings.filter(({ kind }) => kind !== otherDialect) },
    ...(version && { version }),
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
  if (options.users === false) checkUsers(path, content);
  const dialect = options.dialect ?? facts.dialect;
  const database = options.database ?? facts.database;
  const mysql = options.mysql ?? facts.mysql;
  const wanted = dialectFor(dialect, facts.strapiVersion, database, mysql);
  const { store, warnings } = storeFor(path, content, wanted, options);
  indexSearched(store, options);
  const loaded = snapshotOf({ ...content, store, facts: { ...facts, dialect, database, mysql } });
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

function checkUsers(path: string, { store }: ImageContent): void {
  const count = countUsers(store);
  if (count === 0) return;
  const users = count === 1 ? '1 user' : `${formatNumber(count)} users`;
  throw refused(path, `the image holds ${users}, and the setting users is false. Build it again with this setting`);
}

/** Returns the snapshot that `imageContentOf` was given, without what the options of a load decide. */
export function snapshotOf({
  store,
  facts,
  types,
  notices,
  version,
}: ImageContent): Omit<LoadedSnapshot, 'uploadedFiles' | 'tolerance'> {
  const { kind, strapiVersion, dialect, database, mysql, roles, emailConfirmation, blockedUsers, apiTokens } = facts;
  const { mediaUrl, uploadsOrigins } = facts;
  return {
    kind,
    strapiVersion,
    dialect: dialectFor(dialect, strapiVersion, database, mysql),
    store,
    types,
    addresses: addressesOf({ mediaUrl: mediaUrl ?? undefined, uploadsOrigins }),
    roles,
    emailConfirmation,
    blockedUsers: new Set(blockedUsers),
    apiTokens,
    inferred: notices.inferred,
    warnings: notices.warnings,
    ...(version && { version }),
  };
}

/** Returns the store of an image as the queries of a dialect need it. */
function storeFor(
  path: string,
  { store, facts }: ImageContent,
  wanted: Dialect,
  { allocator }: LoadOptions,
): { store: ImageContent['store']; warnings: SnapshotWarning[] } {
  const built = dialectFor(facts.dialect, facts.strapiVersion, facts.database, facts.mysql);
  if (readsTheSame(built, wanted)) return { store, warnings: [] };
  const started = performance.now();
  const rewrites = facts.mediaUrl === null ? null : mediaRewrites(facts.mediaUrl);
  const isRewritten = ({ type }: Collection, attribute: string) => type.uid === fileType && !!rewrites?.has(attribute);
  const derived = deriveForDialect(store, built.derived, wanted.derived, isRewritten, allocator);
  const [before, now] = describeBoth(built, wanted);
  const rules = built.database === wanted.database ? '' : ` and the setting database ${wanted.database}`;
  const flags = `--dialect ${wanted.name}${rules}`;
  if (!derived) {
    throw refused(
      path,
      `an image of the ${before} with a mediaUrl cannot be opened in the ${now}. ` + `Build it again with ${flags}`,
    );
  }
  const took = Math.round(performance.now() - started);
  const message =
    `${path} was built for the ${before}: what the ${now} needs was derived in ${took} ms ` +
    `(build it with ${flags} to save the time at each start)`;
  return { store: derived, warnings: [warning(otherDialect, message)] };
}

/** Returns whether queries of two dialects read the same of a store. */
function readsTheSame({ derived: built }: Dialect, { derived: wanted }: Dialect): boolean {
  return (
    built.versionLinks === wanted.versionLinks &&
    built.jsonTexts === wanted.jsonTexts &&
    built.collation === wanted.collation
  );
}

/** Names two dialects, with their databases where these differ. */
function describeBoth(...dialects: readonly [Dialect, Dialect]): string[] {
  const [built, wanted] = dialects;
  return dialects.map(({ name, database }) =>
    built.database === wanted.database ? `dialect ${name}` : `dialect ${name} and database ${database}`,
  );
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
