/** Finds the contents of the command line that come from a Strapi or a publication, and those that follow it. */
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { GivenContent, GivenContents } from '../content/registry/given-contents.ts';
import { isAddress, isPublication } from '../follow/addresses.ts';
import { secretsOfEnvironment } from '../follow/environment-secrets.ts';
import { jitteredBackOff } from '../follow/pauses.ts';
import { readSecrets } from '../follow/project/project-input.ts';
import { nameOfPublication } from '../follow/publication/publication-name.ts';
import { ReplicaCache } from '../follow/publication/replica-cache.ts';
import { ReplicaImages } from '../follow/publication/replica-images.ts';
import { type ContentCache, removeCached, SourceCache } from '../follow/source-cache.ts';
import { SourceFollower } from '../follow/source-follower.ts';
import type { PublicationSource, ReadingEvents, Source, SourceReading, StrapiSource } from '../follow/source-reader.ts';
import { ReaderHost } from '../follow/thread/reader-host.ts';
import { ReaderThreads } from '../follow/thread/reader-threads.ts';
import { databaseOfEnvironment } from '../load/database/environment-database.ts';
import { nameOfLocation } from '../load/database/location.ts';
import { type LoadedSnapshot, loadSettingsOf } from '../load/loaded.ts';
import { isStrapiProject } from '../load/project/project-folder.ts';
import { digestOfToken } from '../model/access/definitions.ts';
import { type Config, ConfigError } from '../model/settings/config.ts';
import { isPlainHttpUrl } from '../model/settings/media.ts';
import type { SourcedConfig } from '../model/settings/read-config.ts';
import { replySettingsOf } from '../model/settings/reply-settings.ts';
import { parseImagesAddress, parseName, parsePublicationAddress } from '../publication/addresses.ts';
import { PublicationError } from '../publication/publication.ts';
import { sourceTokenVariable } from './flags.ts';

/** Flags about sources that set no setting. */
export interface SourceFlags {
  /** The API token with which a Strapi is read. */
  readonly token?: string;
  /**
   * An export or a project that has the content types of a Strapi at an address, or what has the components of a database:
   * an export, a project or an address.
   */
  readonly types?: string;
  /** Whether the database is served that DATABASE_URL names. */
  readonly database?: boolean;
  /** The name under which a publisher publishes. */
  readonly name?: string;
}

export interface OpenedSources {
  /** All contents, each with the function that loads it and the source that it follows. */
  readonly given: GivenContents;
  readonly followed: ReadonlyMap<GivenContent, SourceFollower>;
  /** The publication of which a content is a replica. Null: of none. */
  readonly replicated: { readonly content: GivenContent; readonly source: PublicationSource } | null;
  /** Contents that are snapshots. */
  readonly snapshots: readonly GivenContent[];
}

interface Options {
  readonly flags: SourceFlags;
  readonly settings: SourcedConfig;
  /** Whether several threads answer requests. */
  readonly isShared: boolean;
  readonly log: Logger;
  readonly environment: NodeJS.ProcessEnv;
  /** Start the threads in which sources are read. */
  readonly threads?: ReaderThreads;
}

/** Opens the sources of the contents that have one. Reads no content yet. Rejects with a ConfigError. */
export async function openSources(given: GivenContents, options: Options): Promise<OpenedSources> {
  const { threads = new ReaderThreads() } = options;
  const { config, sourceOf } = options.settings;
  const followed = new Map<GivenContent, SourceFollower>();
  const contents: GivenContent[] = [];
  /** Sources that are read once. */
  const unfollowed: string[] = [];
  const found = await Promise.all(given.contents.map(({ snapshot }) => findSource(snapshot, options)));
  checkTokens(found, options);
  const replicated = findReplicated(given, found, options);
  for (const [index, content] of given.contents.entries()) {
    const source = found[index];
    const isFollowed = source !== null && (config.follow.enabled ?? source.kind !== 'rest');
    if (isFollowed) {
      const log = given.areNamed ? options.log.child({ content: content.name }) : options.log;
      if (index === 0 && config.journal !== undefined) {
        const reason = source.kind === 'publication' ? noJournalOfReplica : noJournal;
        throw new ConfigError(`${sourceOf(['journal'])}: ${reason}`);
      }
      if (source.kind !== 'publication') await removeCachedUsers(source, content, config);
      const opened = openFollowed(source, content, threads, { ...options, log });
      const withSource = { ...content, source: opened, load: () => opened.load() };
      followed.set(withSource, opened);
      contents.push(withSource);
    } else if (source && source.kind !== 'project') {
      contents.push({
        ...content,
        load: () => loadOnce(new ReaderHost(source, content.snapshot, noEvents, threads), options),
      });
    } else contents.push(content);
    if (source && !isFollowed) unfollowed.push(content.snapshot);
  }
  if (config.follow.enabled && followed.size === 0) {
    throw new ConfigError(`${sourceOf(['follow', 'enabled'])}: ${nothingToFollow}`);
  }
  await threads.endUnless(contents.flatMap(({ load }, index) => (load ? found[index]!.kind : [])));
  if (config.watch) checkWatch(unfollowed, followed.size, given, options);
  const snapshots = given.contents.filter((_, index) => found[index] === null);
  return { given: { ...given, contents }, followed, replicated, snapshots };
}

const noJournal =
  'journal: a content that follows a Strapi takes no changes of its own, so it needs no journal. Leave it out, or serve the content once with --no-follow';
const noJournalOfReplica =
  'journal: a replica takes no changes of its own, so it needs no journal. Leave it out: its publisher has one';
const nothingToFollow =
  'follow: only the folder of a Strapi project or the address of a Strapi can be followed. With --watch, a snapshot is loaded again when it changes';
const noWatch = 'watch: has no effect on a content that follows a Strapi or a publisher';
const nothingToWatch =
  'watch: only a snapshot is loaded again when it changes. To serve the changes of a Strapi, follow it: leave out --no-follow for the folder of a project, or add --follow for an address';

/** Warns of contents that are not watched. Throws a ConfigError if all of them are sources that are read once. */
function checkWatch(unfollowed: readonly string[], followed: number, given: GivenContents, options: Options): void {
  const place = options.settings.sourceOf(['watch']);
  if (unfollowed.length === given.contents.length) throw new ConfigError(`${place}: ${nothingToWatch}`);
  if (followed > 0) options.log.warn(`${place}: ${noWatch}`);
  for (const snapshot of unfollowed) {
    options.log.warn(`${place}: watch: has no effect on ${snapshot}, which is read once`);
  }
}

async function findSource(snapshot: string, options: Options): Promise<Source | null> {
  const { flags, settings, environment } = options;
  const { follow, cacheDir } = settings.config;
  const { compareSeconds, lookSeconds, secret = null } = follow;
  const token = flags.token ?? (environment[sourceTokenVariable] || null);
  const { types = null } = flags;
  if (flags.database) {
    const from = isAddress(types!) ? addressOf(types!) : resolve(types!);
    return { kind: 'database', types: from, token, compareSeconds, lookSeconds };
  }
  if (isPublication(snapshot)) return publicationSource(snapshot, options);
  if (isAddress(snapshot)) {
    return { kind: 'rest', url: addressOf(snapshot), token, secret, types, cacheDir, compareSeconds };
  }
  if (!(await isStrapiProject(snapshot))) return null;
  return { kind: 'project', folder: resolve(snapshot), compareSeconds, lookSeconds };
}

/** Returns the source of a replica. Throws a ConfigError for an address or a name that none can have. */
function publicationSource(to: string, { flags: { name }, settings }: Options): PublicationSource {
  const { config, sourceOf } = settings;
  const { images, cacheDir, drafts, users, strapiCredentials, jwtSecret, uploads, mediaUrl, upstream, webhook } =
    config;
  if (name === undefined) throw new ConfigError(noName);
  checkPublication(to, name, images);
  if (webhook) throw new ConfigError(`${sourceOf(['webhook'])}: ${noWebhook}`);
  const hasUploads =
    typeof uploads === 'string' || uploads === false || mediaUrl !== undefined || upstream !== undefined;
  const has = { acceptsCredentials: strapiCredentials, hasJwtSecret: jwtSecret !== undefined, hasUploads };
  return { kind: 'publication', to, name, images, cacheDir, drafts, users, settings: replySettingsOf(config), has };
}

/** Throws a ConfigError for an address or a name that no publication can have. */
export function checkPublication(to: string, name: string, images: string | undefined): void {
  try {
    parseName(name);
    const { kind } = parsePublicationAddress(to);
    if (images === undefined && kind !== 'folder') throw new ConfigError(noImages);
    if (images !== undefined) parseImagesAddress(images);
  } catch (error) {
    throw error instanceof PublicationError ? new ConfigError(error.message) : error;
  }
}

const noName =
  '--name: a publication needs the name under which its publisher publishes, such as lectern serve redis://127.0.0.1:6379/0 --name site';
const noImages =
  'images: a replica needs the place of the images of its publisher: a folder, an address or s3://BUCKET/PREFIX (LECTERN_IMAGES)';
const noWebhook =
  'webhook: a replica sends none, because its publisher tells once for all replicas what is stale. Set it at the publisher';

/** Returns the content that is a replica. Throws a ConfigError for several, and for flags and settings that are for none. */
function findReplicated(
  { contents }: GivenContents,
  sources: readonly (Source | null)[],
  { flags, settings: { config, sourceOf } }: Options,
): OpenedSources['replicated'] {
  const replicated = sources.flatMap((source, index) =>
    source?.kind === 'publication' ? [{ content: contents[index], source }] : [],
  );
  if (replicated.length > 1) throw new ConfigError(severalPublications);
  const [one = null] = replicated;
  if (!one && flags.name !== undefined) throw new ConfigError(`--name: ${noPublication}`);
  if (one && config.follow.enabled === false)
    throw new ConfigError(`${sourceOf(['follow', 'enabled'])}: ${alwaysFollowed}`);
  return one;
}

const severalPublications =
  'a process is a replica of one publication: --name names it. Start another process for each further one';
const noPublication = 'is only for a publication, such as redis://127.0.0.1:6379/0';
const alwaysFollowed = 'follow: a replica always follows its publisher. Leave out --no-follow';

function addressOf(text: string): string {
  if (isPlainHttpUrl(text)) return text;
  // the rest of the address may hold a secret
  const origin = URL.canParse(text) ? new URL(text).origin : text;
  throw new ConfigError(
    `${origin}: the address of a Strapi has no user, password, query and fragment, such as https://cms.example.org. Give the token with --token or ${sourceTokenVariable}`,
  );
}

/** Throws a ConfigError if one token is for several Strapis, or if a flag is for a Strapi and there is none. */
function checkTokens(sources: readonly (Source | null)[], { flags }: Options): void {
  const addresses = sources.flatMap((source) => (source?.kind === 'rest' ? [source] : []));
  const origins = new Set(addresses.map(({ url }) => new URL(url).origin));
  const given = flags.token === undefined ? sourceTokenVariable : '--token';
  if (addresses.some(({ token }) => token !== null) && origins.size > 1) {
    throw new ConfigError(`${given}: one token cannot belong to several Strapis (${[...origins].join(', ')})`);
  }
  for (const flag of ['token', 'types'] as const) {
    if (flags[flag] === undefined || addresses.length > 0 || flags.database) continue;
    throw new ConfigError(`--${flag}: is only for the address of a Strapi, such as https://cms.example.org`);
  }
}

const noEvents: ReadingEvents = { unchanged: () => {}, access: () => {}, warned: () => {}, signOfLife: () => {} };

/** Milliseconds between two looks at a source that fail, where a look costs next to nothing. */
const longestPauses = { project: 8000, database: 8000, publication: 1000, rest: undefined };

function openFollowed(
  source: Source,
  content: GivenContent,
  threads: ReaderThreads,
  { settings: { config }, isShared, log }: Options,
): SourceFollower {
  return new SourceFollower({
    name: content.snapshot,
    settings: config,
    isShared,
    log,
    read: (events) => new ReaderHost(source, content.snapshot, events, threads),
    cache: openCache(source, content, config, log),
    longestPause: longestPauses[source.kind],
    ...(source.kind === 'publication' && {
      isReadDaily: false,
      publication: nameOfPublication(source),
      // all replicas fail at once
      retryDelay: jitteredBackOff,
    }),
  });
}

function openCache(source: Source, content: GivenContent, config: Config, log: Logger): ContentCache | null {
  if (source.kind === 'publication') {
    return new ReplicaCache(new ReplicaImages(source), secretsOfEnvironment(process.env), log);
  }
  const { cacheDir } = config;
  if (cacheDir === undefined) return null;
  const secrets = source.kind === 'rest' ? undefined : () => readSecrets(source);
  return new SourceCache({ cacheDir, key: cacheKeyOf(source, content, config), secrets, log });
}

/** A setting that changes what is loaded has an image of its own, and so has a token, which may have other rights. */
function cacheKeyOf(
  source: StrapiSource,
  content: GivenContent,
  { mediaUrl, dialect, database, tolerance, uploadsOrigins, users }: Config,
): string {
  const settings = [mediaUrl, dialect, database, tolerance, ...uploadsOrigins, ...(users ? [] : [{ users }])];
  return JSON.stringify([source.kind, ...placeOf(source, content), ...settings]);
}

/** Without users, removes the content with users that an earlier start has cached. Rejects with a ConfigError. */
async function removeCachedUsers(source: StrapiSource, content: GivenContent, config: Config): Promise<void> {
  const { users, cacheDir } = config;
  if (users || cacheDir === undefined) return;
  await removeCached(cacheDir, cacheKeyOf(source, content, { ...config, users: true })).catch((error: Error) => {
    throw new ConfigError(`users: the users that an earlier start has cached cannot be removed: ${error.message}`);
  });
}

/** Loads a source that is not followed. */
async function loadOnce(reading: SourceReading, { settings, isShared }: Options): Promise<LoadedSnapshot> {
  try {
    return await reading.load({ ...loadSettingsOf(settings.config), isShared });
  } finally {
    await reading.close();
  }
}

/** Returns what identifies a source, without passwords and tokens. */
function placeOf(source: StrapiSource, { snapshot }: GivenContent): (string | null)[] {
  if (source.kind === 'project') return [source.folder];
  if (source.kind === 'database') return [snapshot, source.types];
  return [source.url, digestOfToken(source.token ?? ''), source.types];
}

/** Returns the content of the flag `--database`, which has the address of the database as name. Throws a ConfigError. */
export function givenDatabase(
  snapshots: readonly string[],
  { types }: SourceFlags,
  environment: NodeJS.ProcessEnv,
): GivenContents {
  const [snapshot] = snapshots;
  if (snapshot !== undefined) throw new ConfigError(`--database: is served in place of ${snapshot}; leave out one`);
  if (types === undefined) throw new ConfigError(`--database: ${noTypes}`);
  const location = databaseOfEnvironment(environment);
  return { contents: [{ name: 'main', snapshot: nameOfLocation(location) }], areNamed: false };
}

const noTypes =
  'a database does not hold the components, so say with --types where they are: the folder of the project, an export, or the address of its Strapi';
