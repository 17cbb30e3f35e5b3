import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Content } from '../content/content.ts';
import type { ChangesOfJournal, ReplayReport } from '../content/live/change-writer.ts';
import { untilPublished } from '../content/publishing/until-published.ts';
import { publishedElsewhere } from '../content/registry/content-source.ts';
import type { GivenContent } from '../content/registry/given-contents.ts';
import { reloadContent, type ServedContents } from '../content/registry/served-contents.ts';
import { conflict } from '../core/errors.ts';
import { holdPinned } from '../follow/publication/hold-pinned.ts';
import type { SourceFollower } from '../follow/source-follower.ts';
import { sourceSignature } from '../follow/watch/source-signature.ts';
import type { LoadedSnapshot } from '../load/loaded.ts';
import type { Config } from '../model/settings/config.ts';
import { collectGarbage } from '../server/node-internals.ts';
import type { Reloaded, Reloads } from '../server/reloads.ts';
import { versionText } from '../store/content-version.ts';
import { addAndLogWarnings, entriesOf } from './announce.ts';
import type { OpenedSources } from './sources.ts';

export interface CurrentOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly sources: OpenedSources;
  readonly reloads: Reloads;
  /** Loads a snapshot that has no source of its own. */
  readonly load: (path: string) => Promise<LoadedSnapshot>;
}

/** A snapshot that is watched, and its state before it was loaded. */
export interface Watched {
  /** The content that it is loaded as. */
  readonly name: string;
  readonly snapshot: string;
  readonly loaded: string | null;
}

/** Returns the snapshots to watch, with their states. To be called before they are loaded. */
export function readWatched({ watch }: Config, { snapshots }: OpenedSources): Promise<Watched[]> {
  return Promise.all(
    (watch ? snapshots : []).map(async ({ name, snapshot }) => {
      return { name, snapshot, loaded: await sourceSignature(snapshot) };
    }),
  );
}

/** Keeps the contents equal to their sources: follows sources, reloads on request, and watches files. */
export async function keepCurrent(
  served: ServedContents,
  watched: readonly Watched[],
  options: CurrentOptions,
): Promise<void> {
  const { sources, reloads, config, log } = options;
  const onReplaced = (content: Content) => addAndLogWarnings(log, content, config);
  for (const [given, source] of sources.followed) followSource(served, given.name, source, { ...options, onReplaced });
  const given = new Map(sources.given.contents.map((content) => [content.name, content]));
  reloads.begin([...given.keys()], (name, changes) =>
    reload(served, given.get(name)!, options, { changes, onReplaced }),
  );
  if (watched.length === 0) return;
  const { SourceWatcher } = await import('../follow/watch/source-watcher.ts');
  for (const { name, snapshot, loaded } of watched) {
    const reload = (isFinal: boolean) => reloads.schedule('watch', { content: name, isFinal });
    const watcher = new SourceWatcher(snapshot, { loaded, reload, log });
    onDelete(served, name, () => void watcher.close());
    await watcher.start();
  }
}

/** Reloads a content that was given at the start, unless it was replaced by a PUT. */
async function reload(
  served: ServedContents,
  given: GivenContent,
  { sources, load, config }: CurrentOptions,
  { changes, onReplaced }: { changes: ChangesOfJournal | undefined; onReplaced: (content: Content) => void },
): Promise<Reloaded> {
  const { contents } = served;
  const isFirst = contents.first.name === given.name;
  const publication = sources.followed.get(given)?.publication;
  if (changes && publication) throw conflict(publishedElsewhere(given.name, publication, 'reload it with changes'));
  if (isFirst && changes === 'replay' && config.journal === undefined) throw conflict(noJournal);
  const entry = contents.get(given.name);
  // a given content may have been deleted, and another put under its name
  if (!entry?.content || entry.put) return reloaded(contents.first.content!, false);
  const started = performance.now();
  const source = sources.followed.get(given);
  if (source) return reloaded(entry.content, await source.reload());
  const loaded = await (given.load?.() ?? load(given.snapshot));
  let report: ReplayReport | undefined;
  const replayed = (found: ReplayReport) => void (report = found);
  const isNew = await reloadContent(served, entry, loaded, {
    started,
    changes: isFirst ? changes : undefined,
    replayed,
  });
  if (isNew) onReplaced(entry.content);
  return { ...reloaded(entry.content, isNew), ...(report && { replayed: report }) };
}

const noJournal = 'There is no journal whose changes could be replayed: serve with --journal FILE';

/** What is served after a reload. */
function reloaded({ history, pinned }: Content, isNew: boolean): Reloaded {
  const { summary } = history.latest;
  const shown = { isNew, version: summary.version, entries: entriesOf(summary) };
  return pinned ? { ...shown, pinned: pinned.version } : shown;
}

/** Calls a function when the content of this name is deleted, or at once if it is already. May call it more than once. */
function onDelete({ contents }: ServedContents, name: string, end: () => void): void {
  const entry = contents.get(name);
  if (!entry) return end();
  contents.onChange(() => {
    if (contents.get(name) !== entry) end();
  });
}

interface FollowOptions extends Pick<CurrentOptions, 'load'> {
  /** Called with other content. */
  readonly onReplaced: (content: Content) => void;
}

/** Keeps the content of this name equal to its source, until it is deleted. */
function followSource(
  served: ServedContents,
  name: string,
  source: SourceFollower,
  { load, onReplaced }: FollowOptions,
): void {
  const { contents, live } = served;
  const entry = contents.get(name);
  if (!entry?.content) return void source.close();
  const { content } = entry;
  onDelete(served, name, () => void source.close());
  void source.follow({
    get loaded() {
      return content.history.loaded;
    },
    get version() {
      const { loaded, version } = content.history;
      return `${versionText(version)} ${hash('sha256', JSON.stringify([loaded.apiTokens, loaded.emailConfirmation]))}`;
    },
    async apply(batch) {
      const request = { previous: null, form: 'batch', given: batch } as const;
      await untilPublished(() => live!.of(entry)!.change(request, null));
    },
    take: (changes) => live!.of(entry)!.takeAll(changes),
    pin: (pinned) => holdPinned(served, entry, pinned, load),
    async replace(loaded, started) {
      // a publisher decides about versions
      const keepsVersion = source.publication !== undefined;
      const isNew = await reloadContent(served, entry, loaded, { started, keepsVersion });
      setImmediate(collectGarbage);
      if (isNew) onReplaced(content);
      return isNew;
    },
  });
}
