import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Content } from '../content/content.ts';
import { loadAgain } from '../content/open.ts';
import { areChosen, type GivenContent, readGivenContents } from '../content/registry/given-contents.ts';
import { openContents } from '../content/registry/open-contents.ts';
import { reloadContent, type ServedContents } from '../content/registry/served-contents.ts';
import type { FollowedSource } from '../follow/followed-source.ts';
import { sourceSignature } from '../follow/reload/source-signature.ts';
import type { Config } from '../model/settings/config.ts';
import type { SourcedConfig } from '../model/settings/read-config.ts';
import { serverWarnings } from '../model/settings/server-warnings.ts';
import { collectGarbage } from '../server/collect-garbage.ts';
import { keepTick } from '../server/connections/kept-tick.ts';
import { createLog } from '../server/log/log.ts';
import { handleSignals, logProcessEvents } from '../server/log/process-events.ts';
import type { ReloadCause } from '../server/reloads.ts';
import { LecternServer } from '../server/server.ts';
import { threadCount } from '../server/threads/thread-count.ts';
import { ThreadedServer } from '../server/threads/threaded-server.ts';
import { versionText } from '../store/content-version.ts';
import { counted, describeFailure, inferredLines, seconds, servedAs } from './report.ts';
import { type Flags, readSnapshotSettings } from './settings.ts';
import { openSources, type SourceFlags } from './sources.ts';
import { createStartLog, givenFormat } from './start-log.ts';

/**
 * Serves a snapshot until a signal ends the process. The server listens while the snapshot is being loaded. Logs a
 * failure at start and exits at once.
 */
export async function serve(snapshots: readonly string[], given: Flags, ofSources: SourceFlags = {}): Promise<void> {
  keepTick();
  let format = givenFormat(process.env);
  try {
    const settings = await readSnapshotSettings(snapshots, given);
    format = settings.config.log.format;
    const log = createLog(settings.config.log);
    logProcessEvents(log);
    await start(snapshots, settings, log, ofSources);
  } catch (error) {
    const { code, message, unexpected } = describeFailure(error);
    createStartLog(format).fatal(unexpected === undefined ? {} : { err: unexpected }, message);
    process.exit(code);
  }
}

async function start(
  snapshots: readonly string[],
  { config: given, sourceOf }: SourcedConfig,
  log: Logger,
  flags: SourceFlags,
): Promise<void> {
  const config = { ...given, uploads: given.uploads ?? true };
  const { count, warning } = threadCount(config, sourceOf);
  if (warning !== null) log.warn(warning);
  const sources = await openSources(readGivenContents(snapshots, config.prefix), {
    flags,
    settings: { config, sourceOf },
    isShared: count > 1,
    log,
    environment: process.env,
  });
  const { given: named } = sources;
  const threaded = count > 1 ? new ThreadedServer(config, log, count, areChosen(named, config)) : null;
  const server = threaded?.server ?? new LecternServer(config, log);
  const { reloads } = server;
  server.opens(Array.from(sources.followed, ([{ name }, source]) => [name, source]));
  await server.listen();
  const reload = (cause: ReloadCause) => void reloads.schedule(cause).catch(() => {});
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    await server.stop();
    await Promise.all(Array.from(sources.followed.values(), (source) => source.close()));
  };
  handleSignals({ stop, reload: () => reload('SIGHUP') });
  const watched = config.watch ? named.contents.filter(({ load }) => !load) : [];
  const signatures = await Promise.all(watched.map(readSignature));
  /** Settles as a step of the start does. Stays pending after a stop, which ends the process with its own exit code. */
  const unlessStopping = async <Result>(step: Promise<Result>): Promise<Result> => {
    try {
      return await step;
    } finally {
      if (isStopping) await new Promise<never>(() => {});
    }
  };
  const served = await unlessStopping(openContents(named, config, sourceOf, log, threaded?.open));
  const { contents } = served;
  for (const { content } of contents.all) if (content) addAndLogWarnings(log, content, config);
  if (threaded) await unlessStopping(threaded.serveContents(served));
  else server.serveContents(served);
  for (const { name, content } of contents.all) {
    if (!content) continue;
    const shownName = served.areChosen ? name : undefined;
    if (config.log.format === 'json') logServing(log, server, content, shownName);
    else printServing(server, content, shownName);
  }
  if (config.log.format !== 'json' && server.adminAddress) console.log(`Its admin port is ${server.adminAddress}`);
  const onReplaced = (content: Content) => addAndLogWarnings(log, content, config);
  for (const [given, source] of sources.followed) followSource(served, given.name, source, onReplaced);
  const load = (path: string) => (threaded ? threaded.loadAgain(path) : loadAgain(path, config));
  reloads.begin(async (discardsChanges) => {
    let isNew = false;
    for (const given of named.contents) {
      const entry = contents.get(given.name);
      // a given content may have been deleted, and another put under its name
      if (!entry?.content || entry.put) continue;
      const started = performance.now();
      const source = sources.followed.get(given);
      if (source) {
        isNew = (await source.reload()) || isNew;
        continue;
      }
      const loaded = await (given.load?.(given.snapshot, config) ?? load(given.snapshot));
      if (!(await reloadContent(served, entry, loaded, { started, discardsChanges }))) continue;
      isNew = true;
      onReplaced(entry.content);
    }
    const { served: first, pinned } = contents.first.content!;
    const { summary } = first.latest;
    const reloaded = { isNew, version: summary.version, entries: entriesOf(summary) };
    return pinned ? { ...reloaded, pinned: pinned.version } : reloaded;
  });
  if (!config.watch) return;
  const { SourceWatcher } = await import('../follow/reload/source-watcher.ts');
  const reloadChanged = (isFinal: boolean) => reloads.schedule('watch', { isFinal });
  for (const { snapshot, loaded } of signatures) {
    await new SourceWatcher(snapshot, { loaded, reload: reloadChanged, log }).start();
  }
}

/** Returns the state of a snapshot before it is loaded. */
async function readSignature({ snapshot }: GivenContent): Promise<{ snapshot: string; loaded: string | null }> {
  return { snapshot, loaded: await sourceSignature(snapshot) };
}

/** Adds the warnings of server settings to those of the content, and logs them all. */
function addAndLogWarnings(log: Logger, content: Content, config: Config): void {
  const { warnings } = content.served.latest.summary;
  warnings.push(...serverWarnings(config));
  for (const { message, ...warning } of warnings) log.warn(warning, message);
  const notice = accessNotice(content, config);
  if (notice !== null) log.warn(notice);
  void content.uploadsSettled.then((warnings) => {
    for (const warning of warnings) log.warn(warning);
  });
}

/** Maximum number of inferred types to print at start. */
const maxPrintedTypes = 12;

function logServing(
  log: Logger,
  { address, adminAddress }: LecternServer,
  { summary }: Content,
  content?: string,
): void {
  const { version, dialect, types, loadMilliseconds } = summary;
  const inferred = summary.inferred ?? undefined;
  const loaded = {
    content,
    snapshot: version,
    dialect,
    types: types.length,
    entries: entriesOf(summary),
    loadMilliseconds,
    inferred,
  };
  log.info({ address, adminAddress: adminAddress ?? undefined, ...loaded }, 'serving');
}

function printServing({ address }: LecternServer, { summary }: Content, name?: string): void {
  const what = `${counted(entriesOf(summary), 'entry', 'entries')} of ${counted(summary.types.length, 'content type')}`;
  const loaded = `loaded in ${seconds(summary.loadMilliseconds)}`;
  const url = name === undefined ? address : `${address}${name}/`;
  console.log(`Lectern serves ${what} (${servedAs(summary)}) at ${url} - ${loaded}`);
  for (const line of inferredLines(summary, maxPrintedTypes)) console.log(line);
  console.log(`${url}#dialect shows how the two dialects differ`);
}

function entriesOf({ types }: Content['summary']): number {
  return types.reduce((total, { entries }) => total + entries, 0);
}

/** Returns a notice if everyone or nobody without a token may read the content, otherwise null. */
function accessNotice(content: Content, { tokens, jwtSecret, public: isPublic }: Config): string | null {
  if (isPublic) return 'Everyone may read every content type (public). Use this for development only.';
  if (content.schemaOverview().length > 0) return null;
  const open = 'Give the role "public" the permission to find, or start with --public for development.';
  const { credentials } = content.served.active.engine.access;
  return tokens.length > 0 || jwtSecret || credentials.secrets !== null
    ? `Callers without a token may read nothing. ${open}`
    : `Nobody may read this content: no role has the permission and no token is configured. ${open}`;
}

/** Keeps the content of this name equal to its source, until it is deleted. `onReplaced` is called with other content. */
export function followSource(
  served: ServedContents,
  name: string,
  source: FollowedSource,
  onReplaced: (content: Content) => void,
): void {
  const { contents, live } = served;
  const entry = contents.get(name)!;
  const content = entry.content!;
  contents.onChange(() => {
    if (contents.get(name) !== entry) void source.close();
  });
  source.follow({
    get loaded() {
      return content.served.loaded;
    },
    get version() {
      const { loaded, version } = content.served;
      return `${versionText(version)} ${hash('sha256', JSON.stringify([loaded.apiTokens, loaded.emailConfirmation]))}`;
    },
    async apply(batch) {
      await live!.of(entry)!.change({ previous: null, form: 'batch', given: batch }, null);
    },
    async replace(loaded, started) {
      const isNew = await reloadContent(served, entry, loaded, { started });
      setImmediate(collectGarbage);
      if (isNew) onReplaced(content);
      return isNew;
    },
  });
}
