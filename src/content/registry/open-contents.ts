import type { Logger } from 'pino';
import type { LoadedExtension } from '../../engine/additions/load.ts';
import { loadSnapshot } from '../../load/load.ts';
import { loadSettingsOf } from '../../load/loaded.ts';
import { LoadThread } from '../../load/thread/load-in-thread.ts';
import { type Config, ConfigError } from '../../model/settings/config.ts';
import type { SourceOf } from '../../model/settings/setting-problems.ts';
import type { Content } from '../content.ts';
import type { OpenedContentJournal } from '../live/content-journal.ts';
import { type AroundLoad, openWithJournal } from '../live/open-journal.ts';
import { type Load, loadBy, openExtension, openWithExtension } from '../open.ts';
import { ContentPublication } from '../publishing/content-publication.ts';
import { type ContentEntry, Contents, createEntry } from './contents.ts';
import { ContentsFolder } from './contents-folder.ts';
import { areChosen, type GivenContents } from './given-contents.ts';
import { settingsOf } from './put-content.ts';
import { LiveContents, type ServedContents } from './served-contents.ts';
import { type OpenStored, StoredContents } from './stored-contents.ts';

/**
 * Opens a content as `openWithExtension` does. Loads its snapshot in `thread`, if there is one, and with what `around` makes
 * of the function that loads.
 */
export type OpenSnapshot = (
  snapshot: string,
  settings: Config,
  sourceOf: SourceOf,
  extension: LoadedExtension | null,
  thread: LoadThread | null,
  around?: AroundLoad,
) => Promise<Content>;

const openHere: OpenSnapshot = (snapshot, settings, sourceOf, extension, thread, around = (load) => load) =>
  openWithExtension(snapshot, settings, sourceOf, extension, around(thread ? loadBy(thread) : loadSnapshot));

/** Opens the publication of the first content. Rejects with a ConfigError. */
async function publicationOf(
  given: GivenContents,
  { content }: ContentEntry,
  settings: Config,
  log: Logger,
): Promise<ContentPublication> {
  const [{ snapshot, source }] = given.contents;
  if (source?.publication !== undefined) throw new ConfigError('publish: a replica publishes nothing. Leave it out');
  return ContentPublication.open(content!, source ? snapshot : null, settings, log);
}

/**
 * Opens the contents that are given at the start, and those that were put before. Throws a SnapshotError or a
 * ConfigError if a given one does not load. One that was put and does not load is logged.
 */
export async function openContents(
  given: GivenContents,
  settings: Config,
  sourceOf: SourceOf,
  log: Logger,
  openSnapshot: OpenSnapshot = openHere,
): Promise<ServedContents> {
  const extension = await openExtension(settings);
  const entries: ContentEntry[] = [];
  let opened: OpenedContentJournal | null = null;
  /** Loads as the first content was loaded. */
  let loadImage: Load<string> | null = null;
  for (const [index, { name, snapshot, load, source }] of given.contents.entries()) {
    const open = (around: AroundLoad = (loadPath) => loadPath) =>
      openSnapshot(snapshot, settings, sourceOf, extension, null, (loadPath) => {
        loadImage ??= loadPath;
        // a journal may have an image that is loaded in place of it
        return around((path, options) => (load && path === snapshot ? load() : loadPath(path, options)));
      });
    let content: Content;
    if (index === 0 && settings.journal !== undefined) {
      ({ content, opened } = await openWithJournal(settings.journal, open, log));
    } else content = await open();
    entries.push(createEntry({ name, content, source, error: null, put: null }));
  }
  const [first, ...others] = entries;
  const contents = new Contents(first, settings.contents.domain);
  for (const entry of others) {
    if (contents.hidesRoute(entry.name)) {
      throw new ConfigError(
        `"${entry.name}" cannot name a content: it is a route of "${first.name}", and prefix is empty`,
      );
    }
    await contents.set(entry);
  }

  const { prefix, contents: limits } = settings;
  const folder = limits.folder === undefined ? null : await ContentsFolder.open(limits.folder);
  const sourceOfPut: SourceOf = (at) => (at[0] === 'tokens' ? 'body' : sourceOf(at));
  const openIn =
    (thread: LoadThread | null): OpenStored =>
    (path, put) =>
      openSnapshot(path, settingsOf(put, settings), sourceOfPut, extension, thread);
  const thread = new LoadThread();
  const load = openIn(thread);
  // each snapshot that is put finds a thread that has started
  if (folder) thread.start();
  const open: OpenStored = (path, put) => load(path, put).finally(() => thread.start());
  const previews = { settings, extension };
  const stored = new StoredContents(contents, folder, { settings: limits, prefix, log, open, previews });
  await stored.restore(openIn(null));
  const live = new LiveContents(contents, opened, { limit: settings.journalBytes });
  await stored.settle((base) => live.of(base));
  if (settings.publish) {
    const publication = await publicationOf(given, contents.first, settings, log);
    await live.publish(publication, (path) => loadImage!(path, loadSettingsOf(settings)));
  }
  return { contents, areChosen: areChosen(given, settings), stored, live };
}
