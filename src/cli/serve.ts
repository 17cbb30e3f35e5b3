import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { loadAgain } from '../content/open.ts';
import {
  areChosen,
  checkGivenNames,
  type GivenContents,
  readGivenContents,
} from '../content/registry/given-contents.ts';
import { openContents } from '../content/registry/open-contents.ts';
import type { ServedContents } from '../content/registry/served-contents.ts';
import { holdPinned } from '../follow/publication/hold-pinned.ts';
import type { ReaderThreads } from '../follow/thread/reader-threads.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import { type Config, ConfigError } from '../model/settings/config.ts';
import type { SourcedConfig } from '../model/settings/read-config.ts';
import type { SourceOf } from '../model/settings/setting-problems.ts';
import { Membership } from '../publication/membership.ts';
import { openPublication } from '../publication/open-publication.ts';
import { createLog } from '../server/log/log.ts';
import { handleSignals, logProcessEvents } from '../server/log/process-events.ts';
import { keepTick } from '../server/node-internals.ts';
import { LecternServer } from '../server/server.ts';
import { threadCount } from '../server/threads/thread-count.ts';
import { ThreadedServer } from '../server/threads/threaded-server.ts';
import { addAndLogWarnings, announce } from './announce.ts';
import type { Flags } from './flags.ts';
import { keepCurrent, readWatched } from './keep-current.ts';
import { describeFailure } from './report.ts';
import { createStartLog, givenFormat, readSnapshotSettings } from './settings.ts';
import { givenDatabase, type OpenedSources, openSources, type SourceFlags } from './sources.ts';

/**
 * Serves a snapshot until a signal ends the process. The server listens while the snapshot is being loaded. Logs a
 * failure at start and exits at once.
 */
export async function serve(
  snapshots: readonly string[],
  given: Flags,
  ofSources: SourceFlags,
  threads: ReaderThreads,
): Promise<void> {
  keepTick();
  let format = givenFormat(process.env);
  try {
    const contents = ofSources.database
      ? givenDatabase(snapshots, ofSources, process.env)
      : readGivenContents(snapshots);
    // the settings of the API are those of the folder that has the components
    const paths = ofSources.database ? [ofSources.types!] : contents.contents.map(({ snapshot }) => snapshot);
    const settings = await readSnapshotSettings(paths, given);
    format = settings.config.log.format;
    const log = createLog(settings.config.log);
    logProcessEvents(log);
    await start(contents, settings, log, { flags: ofSources, threads });
  } catch (error) {
    const { code, message, unexpected } = describeFailure(error);
    createStartLog(format).fatal(unexpected === undefined ? {} : { err: unexpected }, message);
    process.exit(code);
  }
}

/** How sources are read. */
interface Reading {
  readonly flags: SourceFlags;
  readonly threads: ReaderThreads;
}

/** A start in progress. */
interface Start {
  readonly config: Config;
  readonly sourceOf: SourceOf;
  readonly log: Logger;
  readonly sources: OpenedSources;
  /** Null if one thread answers requests. */
  readonly threaded: ThreadedServer | null;
  readonly server: LecternServer;
  /** Of a replica. */
  readonly presence: Membership | null;
  isStopping: boolean;
}

async function start(given: GivenContents, settings: SourcedConfig, log: Logger, reading: Reading): Promise<void> {
  const started = await prepare(given, settings, log, reading);
  await listen(started);
  const { config, sources, server } = started;
  const watched = await readWatched(config, sources);
  const served = await openAndServe(started);
  announce(server, served, config, log);
  const load = loadOf(started);
  await keepCurrent(served, watched, { config, log, sources, reloads: server.reloads, load });
}

/** Opens the sources and makes the server. Nothing is loaded yet. */
async function prepare(
  given: GivenContents,
  { config: read, sourceOf }: SourcedConfig,
  log: Logger,
  reading: Reading,
): Promise<Start> {
  const config = { ...read, uploads: read.uploads ?? true };
  checkGivenNames(given, config.prefix);
  const { count, warning } = threadCount(config, sourceOf);
  if (warning !== null) log.warn(warning);
  const sources = await openSources(given, {
    ...reading,
    settings: { config, sourceOf },
    isShared: count > 1,
    log,
    environment: process.env,
  });
  const threaded = count > 1 ? new ThreadedServer(config, log, count, areChosen(sources.given, config)) : null;
  const server = threaded?.server ?? new LecternServer(config, log);
  const { replicated } = sources;
  if (replicated && config.follow.enabled === false)
    throw new ConfigError(`${sourceOf(['follow', 'enabled'])}: ${alwaysFollowed}`);
  const open = () => openPublication(replicated!.source, process.env, () => {});
  const presence = replicated && new Membership('replica', open, log);
  return { config, sourceOf, log, sources, threaded, server, presence, isStopping: false };
}

const alwaysFollowed = 'follow: a replica always follows its publisher. Leave out --no-follow';

/** Returns a function that loads a snapshot for a content that is served. */
function loadOf({ threaded, config }: Start): (path: string) => Promise<LoadedSnapshot> {
  return (path) => (threaded ? threaded.loadAgain(path) : loadAgain(path, config));
}

/** Listens, and answers 503 until `openAndServe`. Signals count from now on. */
async function listen(started: Start): Promise<void> {
  const { server, sources, presence } = started;
  server.opens(Array.from(sources.followed, ([{ name }, source]) => [name, source]));
  await server.listen();
  const stop = async () => {
    started.isStopping = true;
    await server.stop();
    await Promise.all([...Array.from(sources.followed.values(), (source) => source.close()), presence?.close()]);
  };
  handleSignals({ stop, reload: () => void server.reloads.schedule('SIGHUP').catch(() => {}) });
}

/** Loads the contents and serves them. */
async function openAndServe(started: Start): Promise<ServedContents> {
  const { config, sourceOf, log, sources, threaded, server } = started;
  const served = await unlessStopping(started, openContents(sources.given, config, sourceOf, log, threaded?.open));
  for (const { content } of served.contents.all) if (content) addAndLogWarnings(log, content, config);
  await unlessStopping(started, holdGiven(started, served));
  if (threaded) await unlessStopping(started, threaded.serveContents(served));
  else server.serveContents(served);
  tellServed(started, served);
  return served;
}

/** Serves what sources and the own publication have pinned, so that nothing else is seen at the start. */
async function holdGiven(started: Start, served: ServedContents): Promise<void> {
  for (const { name } of started.sources.followed.keys()) {
    const entry = served.contents.get(name);
    const pinned = entry?.content?.history.loaded.pinned;
    if (pinned) await holdPinned(served, entry, pinned, loadOf(started));
  }
  const published = await served.live!.pinnedImage();
  if (!published) return;
  try {
    await holdPinned(served, served.contents.first, published, loadOf(started));
  } finally {
    await rm(published.path, { force: true });
  }
}

/** Tells the publication what all threads of a replica serve. */
function tellServed({ presence, sources: { replicated } }: Start, { contents }: ServedContents): void {
  const tell = () => {
    const content = contents.get(replicated!.content.name)?.content;
    if (content) presence!.serves(content.version);
  };
  if (!presence) return;
  contents.onSettled(tell);
  tell();
}

/** Settles as a step of the start does. Stays pending after a stop, which ends the process with its own exit code. */
async function unlessStopping<Result>(started: Start, step: Promise<Result>): Promise<Result> {
  try {
    return await step;
  } finally {
    if (started.isStopping) await new Promise<never>(() => {});
  }
}
