import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Content } from '../../src/content/content.ts';
import type { OpenedContentJournal } from '../../src/content/live/content-journal.ts';
import { type ContentEntry, Contents, createEntry } from '../../src/content/registry/contents.ts';
import { ContentsFolder } from '../../src/content/registry/contents-folder.ts';
import { LiveContents } from '../../src/content/registry/served-contents.ts';
import { type OpenStored, StoredContents } from '../../src/content/registry/stored-contents.ts';
import { type JsonSnapshot, open } from '../../src/index.ts';
import { type Config, configSchema } from '../../src/model/settings/config.ts';
import { createLog } from '../../src/server/log/log.ts';
import { LecternServer } from '../../src/server/server.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer, type HttpAnswer } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';

/** A server of several contents in this process, whose snapshots are loaded here instead of in a thread. */

/** A snapshot of one thing with this title, which the public may read. */
export function titled(title: string): JsonSnapshot {
  return thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]);
}

const servers: LecternServer[] = [];

export async function stopAll(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
}

export interface RunningOptions {
  /** Default: a new folder. Null for none. */
  folder?: string | null;
  settings?: object;
  /** Names of the contents that are given at the start. Each has one thing, whose title is the name. */
  given?: string[];
  /** Loads a snapshot that is put. */
  open?: OpenStored;
  /** The first content, with its journal, in place of one that is given by its name `main`. */
  first?: { content: Content; opened: OpenedContentJournal | null };
}

export interface Put {
  body?: unknown;
  bytes?: Buffer | string;
  type?: string;
  query?: string;
}

const authorization = { Authorization: 'Bearer admin' };

/** A folder with the JSON snapshots `one.json` and `two.json`, whose things have the titles `one` and `two`. */
export function folderOfSnapshots(): string {
  const folder = temporaryFolder();
  for (const title of ['one', 'two']) {
    writeFileSync(join(folder, `${title}.json`), JSON.stringify({ things: [{ id: 1, documentId: 'one', title }] }));
  }
  writeFileSync(join(folder, 'broken.json'), '{ "things": [');
  return folder;
}

export async function startContents(options: RunningOptions = {}) {
  const { folder = folderOfSnapshots(), given = ['main'], settings = {}, first } = options;
  const config: Config = configSchema.parse({
    port: 0,
    adminPort: 0,
    public: true,
    admin: { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents'] }] },
    contents: { folder: folder ?? undefined },
    ...settings,
  });
  const lines: Record<string, unknown>[] = [];
  const log = createLog(config.log, { write: (line) => void lines.push(JSON.parse(line)) });
  const entries: ContentEntry[] = [];
  const { cacheBytes, prefix, uploads } = config;
  const settingsOfOpen = { public: true, cacheBytes, prefix, uploads };
  if (first) entries.push(createEntry({ name: 'main', content: first.content, error: null, put: null }));
  for (const name of first ? [] : given) {
    const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
    const content = await openShared(titled(name), { ...settingsOfOpen, tokens });
    entries.push(createEntry({ name, content, error: null, put: null }));
  }
  const contents = new Contents(entries[0], config.contents.domain);
  for (const entry of entries.slice(1)) await contents.set(entry);
  const openHere: OpenStored = (path, { tokens }) => open(path, { ...settingsOfOpen, tokens });
  const stored = new StoredContents(contents, folder === null ? null : await ContentsFolder.open(folder), {
    settings: config.contents,
    prefix: config.prefix,
    log,
    open: options.open ?? openHere,
    previews: { settings: config, extension: null },
  });
  await stored.restore(openHere);
  const server = new LecternServer(config, log);
  servers.push(server);
  await server.listen();
  const live = new LiveContents(contents, first?.opened ?? null);
  await stored.settle((base) => live.of(base));
  server.serveContents({ contents, areChosen: true, stored, live });
  const port = Number(new URL(server.address).port);
  const adminPort = Number(new URL(server.adminAddress!).port);

  const put = (name: string, { body, bytes, type = 'application/json', query = '' }: Put): Promise<HttpAnswer> => {
    const sent = bytes ?? JSON.stringify(body);
    const headers = { ...authorization, 'Content-Type': type };
    return askServer(adminPort, `/_contents/${name}${query}`, { method: 'PUT', headers, body: sent });
  };
  return {
    folder: folder!,
    server,
    port,
    adminPort,
    lines,
    contents,
    stored,
    live,
    put,
    delete: (name: string) => askServer(adminPort, `/_contents/${name}`, { method: 'DELETE', headers: authorization }),
    list: async (): Promise<Record<string, unknown>[]> =>
      (await askServer(adminPort, '/_contents', { headers: authorization })).json().contents,
    /** The title of the thing of a content, or the status of another reply than 200. */
    title: async (path: string, host = 'localhost'): Promise<string | number> => {
      const answer = await askServer(port, `${path}/api/things`, { headers: { Host: host } });
      return answer.status === 200 ? answer.json().data[0].title : answer.status;
    },
    /** Sends the head and the first bytes of a body of this length. */
    begin: (name: string, length: number, bytes: Buffer): Socket => {
      const head = `PUT /_contents/${name} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nContent-Type: application/gzip\r\n`;
      const socket = connect(adminPort, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`${head}Content-Length: ${length}\r\n\r\n`);
      socket.write(bytes);
      return socket;
    },
  };
}

/** Opens content with one thing of this title. */
export function openTitled(title: string): Promise<Content> {
  return openShared(titled(title), { public: true });
}
