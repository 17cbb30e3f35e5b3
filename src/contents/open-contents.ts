import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config/config.ts';
import type { SourceOf } from '../config/setting-problems.ts';
import type { Content } from '../content.ts';
import type { LoadedExtension } from '../extend/load.ts';
import { LoadThread } from '../load/load-in-thread.ts';
import { loadBy, openExtension, openWithExtension } from '../open.ts';
import { type ContentEntry, Contents } from './contents.ts';
import { ContentsFolder } from './contents-folder.ts';
import type { GivenContents } from './given-contents.ts';
import { MemoryShares } from './memory-shares.ts';
import type { PutContent } from './put-content.ts';
import type { ServedContents } from './served-contents.ts';
import { type OpenStored, StoredContents } from './stored-contents.ts';

/** Opens a content that is given at the start, as `openWithExtension` does. */
export type OpenGiven = (
  snapshot: string,
  settings: Config,
  sourceOf: SourceOf,
  extension: LoadedExtension | null,
) => Promise<Content>;

/**
 * Opens the contents that are given at the start, and those that were put before. Throws a SnapshotError or a
 * ConfigError if a given one does not load. One that was put and does not load is logged.
 */
export async function openContents(
  given: GivenContents,
  settings: Config,
  sourceOf: SourceOf,
  log: Logger,
  openGiven: OpenGiven = openWithExtension,
): Promise<ServedContents> {
  const extension = await openExtension(settings);
  const entries: ContentEntry[] = [];
  for (const { name, snapshot } of given.contents) {
    const content = await openGiven(snapshot, settings, sourceOf, extension);
    entries.push({ name, hosts: [], content, error: null, put: null });
  }
  const [first, ...others] = entries;
  const contents = new Contents(first);
  for (const entry of others) {
    if (contents.hidesRoute(entry.name)) {
      throw new ConfigError(
        `"${entry.name}" cannot name a content: it is a route of "${first.name}", and prefix is empty`,
      );
    }
    contents.set(entry);
  }

  const { prefix, contents: limits } = settings;
  const folder = limits.folder === undefined ? null : await ContentsFolder.open(limits.folder);
  const canChoose = given.areNamed || folder !== null;
  const shares = canChoose ? new MemoryShares(contents, limits.idleSeconds * 1000) : null;
  const openWith =
    (load?: ReturnType<typeof loadBy>): OpenStored =>
    (path, put) => {
      const sourceOfPut: SourceOf = (at) => (at[0] === 'tokens' ? 'body' : sourceOf(at));
      return openWithExtension(path, settingsOf(put, settings), sourceOfPut, extension, load);
    };
  const thread = new LoadThread();
  const load = openWith(loadBy(thread));
  // each snapshot that is put finds a thread that has started
  if (folder) thread.start();
  const open: OpenStored = (path, put) => load(path, put).finally(() => thread.start());
  const stored = new StoredContents(contents, folder, { settings: limits, prefix, log, open });
  await stored.restore(openWith());
  return { contents, shares, stored };
}

/** A content that is put accepts its own tokens only, and no JWT: its users are not those of the other contents. */
function settingsOf({ tokens }: PutContent, settings: Config): Config {
  return { ...settings, tokens, jwtSecret: undefined };
}
