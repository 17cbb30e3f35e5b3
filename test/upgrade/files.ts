/**
 * The files that a version of Lectern keeps: how it makes them, how one opens them, and what they are asked. Each kind is
 * made with the command line alone, so that any version can.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SimulatedStrapi } from '../source/rest/refresh/simulated-strapi.ts';
import { ServedStrapi } from '../source/rest/served-strapi.ts';
import { Random } from '../strapi/random.ts';
import type { HttpAnswer } from '../support/http.ts';
import { sha256 } from '../support/sha256.ts';
import { type RunningVersion, serveWith } from './server-of.ts';

/** A JSON snapshot, to which the journals belong. */
export const content = join(import.meta.dirname, 'content');

/** Names the cache of the Strapi, so it is the same in all versions. Nothing listens there when files are opened. */
const strapiPort = 48_917;

const token = 'upgrade';
const bearer = { Authorization: `Bearer ${token}` };

/** The settings file of all versions: it has what the first one knew. */
export const settings = {
  port: 0,
  adminPort: 0,
  admin: { tokens: [{ name: 'all', sha256: sha256(token), rights: ['contents', 'changes'] }] },
  tokens: [{ name: 'reader', sha256: sha256(token), type: 'full-access' }],
  defaultLimit: 10,
  maxLimit: 50,
  cacheControl: [{ value: 'public, max-age=10' }],
  timeouts: { drain: 0 },
};

/** What was asked and answered. */
export interface Answer {
  readonly path: string;
  readonly status: number;
  /** The header `X-Lectern-Snapshot`. */
  readonly snapshot?: string;
  /** The header `X-Lectern-Version`, of files that keep it. */
  readonly version?: string;
  readonly body: string;
}

interface Kind {
  /** Returns false if the version has no such files. */
  make(cli: string, folder: string): Promise<boolean>;
  /** Arguments of `serve`. */
  open(folder: string): string[];
  readonly questions: readonly string[];
  readonly keepsVersion?: true;
}

const queries = [
  '/api/articles?populate=*&sort=id&pagination[pageSize]=50',
  '/api/articles?status=draft&populate[parts][populate]=*&sort=title:desc',
  '/api/articles?locale=fr&populate[author]=true&populate[localizations][fields]=title',
  '/api/articles?filters[author][name][$containsi]=ØDE&fields=title,rating&sort=rating',
  '/api/articles?filters[tags][parent][name]=News&sort=views,id&fields=views',
  '/api/articles?filters[title][$startsWith]=T&filters[rating][$gte]=0.1',
  '/api/articles?filters[views][$gt]=100&sort=views:desc&fields=views',
  '/api/articles?filters[day][$null]=true',
  '/api/authors?populate[articles][populate][cover]=true&sort=born',
  '/api/tags?populate[children]=true&populate[articles][count]=true',
  '/api/home?populate[featured][populate]=*',
  '/api/upload/files',
  '/api/articles?filters[unknown]=1',
];

const strapiQueries = ['/api/articles?populate=*&sort=id', '/api/authors?sort=id', '/api/tags?sort=id', '/api/home'];

const added = { documentId: 'added', title: 'Added', rating: 2, author: 'bo', tags: ['food'], day: '2026-05-01' };
const batches: readonly (readonly object[])[] = [
  [{ upsert: 'api::article.article', entry: added }],
  [{ upsert: 'api::tag.tag', entry: { documentId: 'unused', name: 'Used', parent: 'travel' } }],
  [{ delete: 'api::article.article', documentId: 'article-2' }],
  [
    { upsert: 'api::author.author', entry: { documentId: 'dee', name: 'Dee' } },
    { upsert: 'api::article.article', entry: { ...added, title: 'Added twice', author: 'dee' } },
  ],
];
const later = [{ upsert: 'api::tag.tag', entry: { documentId: 'later', name: 'Later', parent: 'food' } }];

export const kinds: Readonly<Record<string, Kind>> = {
  image: {
    async make(cli, folder) {
      run(cli, 'build', content, '--out', join(folder, 'content.lectern'));
      return true;
    },
    open: (folder) => [join(folder, 'content.lectern')],
    questions: queries,
  },
  journal: {
    async make(cli, folder) {
      await serving(cli, folder, [content, '--journal', join(folder, 'changes')], async (server) => {
        for (const [i, changes] of batches.entries()) await change(server, changes, '', `key-${i}`);
      });
      return true;
    },
    open: (folder) => [content, '--journal', join(folder, 'changes')],
    questions: queries,
    keepsVersion: true,
  },
  'compacted journal': {
    async make(cli, folder) {
      const path = journalIn(folder);
      mkdirSync(join(folder, 'compacted'));
      cpSync(join(folder, 'changes'), path);
      run(cli, 'compact', content, '--journal', path);
      await serving(cli, folder, [content, '--journal', path], (server) => change(server, later));
      return true;
    },
    open: (folder) => [content, '--journal', journalIn(folder)],
    questions: queries,
    keepsVersion: true,
  },
  contents: {
    async make(cli, folder) {
      const own = join(folder, 'contents');
      mkdirSync(own);
      writeFileSync(
        join(own, 'small.json'),
        JSON.stringify({
          things: [
            { id: 1, title: 'One' },
            { id: 2, title: 'Two' },
          ],
        }),
      );
      await serving(cli, folder, contentsIn(folder), async (server) => {
        const image = execFileSync('cat', [join(folder, 'content.lectern')]);
        await put(server, 'sent', image, 'application/octet-stream');
        await put(server, 'named', { snapshot: 'small.json' });
        const changes = [{ upsert: 'api::author.author', entry: { documentId: 'ada', name: 'Ada in a preview' } }];
        await put(server, 'preview', { base: 'main', changes });
        await change(server, later, '?content=preview', 'key-of-preview');
        await changePreview(server, [{ delete: 'api::tag.tag', documentId: 'unused' }]);
      });
      return true;
    },
    open: contentsIn,
    questions: [
      ...queries.slice(0, 3).map((path) => `/sent${path}`),
      '/named/api/things',
      '/preview/api/authors?populate=*',
      '/preview/api/tags?populate=*',
      '/api/tags?populate=*',
    ],
  },
  cache: {
    async make(cli, folder) {
      const strapi = await ServedStrapi.start(new SimulatedStrapi(new Random(1), 3), strapiPort);
      try {
        const sources = join(folder, 'cache/sources');
        const isWritten = () => existsSync(sources) && readdirSync(sources).some((name) => name.endsWith('.json'));
        await serving(cli, folder, cacheIn(folder), async () => {
          while (!isWritten()) await setTimeout(20);
        });
      } finally {
        await strapi.close();
      }
      return true;
    },
    open: cacheIn,
    questions: strapiQueries,
  },
  publication: {
    async make(cli, folder) {
      if (!help(cli).includes('status')) return false;
      await serving(cli, folder, publisherIn(folder), async (server) => {
        for (const changes of batches) await change(server, changes);
      });
      return true;
    },
    open: (folder) => [`file://${publicationIn(folder)}`, '--name', 'site', '--cache', join(folder, 'replica')],
    questions: queries,
    keepsVersion: true,
  },
};

function journalIn(folder: string): string {
  return join(folder, 'compacted/changes');
}

function contentsIn(folder: string): string[] {
  return [content, '--config', settingsIn(folder, 'contents', { contents: { folder: join(folder, 'contents') } })];
}

function cacheIn(folder: string): string[] {
  const cache = join(folder, 'cache');
  return [`http://127.0.0.1:${strapiPort}`, '--follow', '--token', 'reader', '--cache', cache];
}

function publicationIn(folder: string): string {
  return join(folder, 'publication');
}

/** Arguments of a server that publishes to the folder. */
export function publisherIn(folder: string): string[] {
  const publish = { to: `file://${publicationIn(folder)}`, name: 'site' };
  return [content, '--config', settingsIn(folder, 'publisher', { publish })];
}

/** Writes a settings file with further settings, and returns its path. */
function settingsIn(folder: string, name: string, more: object = {}): string {
  const path = join(folder, `${name}.config.json`);
  writeFileSync(path, JSON.stringify({ ...settings, ...more }, null, 2));
  return path;
}

function run(cli: string, ...args: string[]): void {
  execFileSync(process.execPath, [cli, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
}

function help(cli: string): string {
  return spawnSync(process.execPath, [cli, '--help'], { encoding: 'utf8' }).stdout;
}

/** Serves with the settings file while `use` runs. Rejects as `serveWith` does. */
export async function serving<Result>(
  cli: string,
  folder: string,
  args: readonly string[],
  use: (server: RunningVersion) => Promise<Result>,
): Promise<Result> {
  const config = args.includes('--config') ? [] : ['--config', settingsIn(folder, 'all')];
  const server = await serveWith(cli, [...args, ...config]);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

export async function change(
  server: RunningVersion,
  changes: readonly object[],
  query = '',
  key: string | null = null,
): Promise<string> {
  const body = JSON.stringify({ changes });
  const headers = { ...bearer, 'Content-Type': 'application/json', ...(key !== null && { 'Idempotency-Key': key }) };
  return succeeded(await server.askAdmin(`/_changes${query}`, { method: 'POST', headers, body }));
}

/** Changes the preview of a contents folder. */
export function changePreview(server: RunningVersion, changes: readonly object[]): Promise<string> {
  return change(server, changes, '?content=preview');
}

/** Sends the first change of a journal again, with its key. */
export function repeatFirst(server: RunningVersion): Promise<string> {
  return change(server, batches[0]!, '', 'key-0');
}

async function put(
  server: RunningVersion,
  name: string,
  body: Buffer | object,
  type = 'application/json',
): Promise<void> {
  const headers = { ...bearer, 'Content-Type': type };
  const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body);
  succeeded(await server.askAdmin(`/_contents/${name}`, { method: 'PUT', headers, body: bytes }));
}

function succeeded({ status, body }: HttpAnswer): string {
  if (status !== 200 && status !== 201) throw new Error(`${status}: ${body}`);
  return body.toString();
}

/** Asks the questions of a kind. */
export async function answersOf(server: RunningVersion, { questions, keepsVersion }: Kind): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const path of questions) {
    const { status, headers, body } = await server.ask(path, { headers: path.includes('status') ? bearer : {} });
    const { 'x-lectern-snapshot': snapshot, 'x-lectern-version': version } = headers as Record<string, string>;
    answers.push({ path, status, snapshot, ...(keepsVersion && { version }), body: body.toString() });
  }
  return answers;
}

/** Opens the files of a kind in a folder, which may change, and returns the answers. Rejects as `serveWith` does. */
export function openFiles(cli: string, name: string, folder: string): Promise<Answer[]> {
  const kind = kinds[name]!;
  return serving(cli, folder, kind.open(folder), (server) => answersOf(server, kind));
}

/** Makes all kinds of files in a folder, and returns what the version itself answers from them, by kind. */
export async function makeFiles(cli: string, folder: string): Promise<Record<string, Answer[]>> {
  const recorded: Record<string, Answer[]> = {};
  for (const [name, kind] of Object.entries(kinds)) {
    if (await kind.make(cli, folder)) recorded[name] = await openFiles(cli, name, folder);
  }
  return recorded;
}
