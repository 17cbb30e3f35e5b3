/** Opens any kind of source for commands that describe its schema, and follows it while they are told to watch. */
import type { Logger } from 'pino';
import type { Content } from '../content/content.ts';
import { loadAgain } from '../content/open.ts';
import { readGivenContents } from '../content/registry/given-contents.ts';
import { openContents } from '../content/registry/open-contents.ts';
import type { ServedContents } from '../content/registry/served-contents.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import { isAddress } from '../follow/addresses.ts';
import { isStrapiProject } from '../load/project/project-folder.ts';
import type { Config } from '../model/settings/config.ts';
import type { SourcedConfig } from '../model/settings/read-config.ts';
import { createLog } from '../server/log/log.ts';
import { handleSignals } from '../server/log/process-events.ts';
import { Reloads } from '../server/reloads.ts';
import type { Flags } from './flags.ts';
import { keepCurrent, readWatched } from './keep-current.ts';
import { describeFailure } from './report.ts';
import { readSnapshotSettings } from './settings.ts';
import { givenDatabase, type OpenedSources, openSources, type SourceFlags } from './sources.ts';

export interface SchemaFlags extends SourceFlags {
  /** Whether the source is followed. Otherwise it is read once. */
  readonly watch?: boolean;
}

/**
 * Calls `onContent` with the content of a source, and, if it is watched, again after each change until a signal ends the
 * process. Rejects with a SnapshotError or a ConfigError, and with what `onContent` throws the first time.
 */
export async function readSchema(
  source: string | undefined,
  given: Flags,
  { watch = false, ...flags }: SchemaFlags,
  onContent: (content: Content) => Promise<void>,
): Promise<void> {
  const contents = flags.database
    ? givenDatabase(source === undefined ? [] : [source], flags, process.env)
    : readGivenContents([source!]);
  const settings = await settingsFor(source, given, flags, watch);
  const { config, sourceOf } = settings;
  const log = createLog({ level: 'warn', format: 'text' });
  const sources = await openSources(contents, { flags, settings, isShared: false, log, environment: process.env });
  const watched = await readWatched(config, sources);
  try {
    const served = await openContents(sources.given, config, sourceOf, log);
    await onContent(served.contents.first.content!);
    if (watch) await follow(served, watched, { sources, config, log }, onContent);
  } finally {
    if (!watch) await Promise.all(Array.from(sources.followed.values(), (follower) => follower.close()));
  }
}

/** Reads the settings. What is watched follows from the kind of the source. */
async function settingsFor(
  source: string | undefined,
  given: Flags,
  { types, database }: SourceFlags,
  watch: boolean,
): Promise<SourcedConfig> {
  const { config, sourceOf } = await readSnapshotSettings([database ? types! : source!], given);
  const isSnapshot = !database && !isAddress(source!) && !(await isStrapiProject(source!));
  const follow = { ...config.follow, enabled: isSnapshot ? undefined : watch };
  return { config: { ...config, uploads: false, watch: watch && isSnapshot, follow }, sourceOf };
}

/** Calls `onContent` after each change. A failure is printed, and the source is followed further. */
async function follow(
  served: ServedContents,
  watched: Awaited<ReturnType<typeof readWatched>>,
  { sources, config, log }: { sources: OpenedSources; config: Config; log: Logger },
  onContent: (content: Content) => Promise<void>,
): Promise<void> {
  const content = served.contents.first.content!;
  const changes = new SerialQueue();
  content.onStale(() => {
    void changes
      .run(() => onContent(content))
      .catch((error) => console.error('lectern:', describeFailure(error).message));
  });
  const reloads = new Reloads(log);
  const stop = async () => {
    await Promise.all(Array.from(sources.followed.values(), (source) => source.close()));
  };
  handleSignals({ stop, reload: () => void reloads.schedule('SIGHUP').catch(() => {}) });
  // neither the reader of a source nor its pauses keep a process alive
  setInterval(() => {}, 2 ** 30);
  await keepCurrent(served, watched, { config, log, sources, reloads, load: (path) => loadAgain(path, config) });
}
