import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Content, open } from '../../src/index.ts';
import type { Config } from '../../src/model/settings/config.ts';
import { authorization, tokens as gazetteTokens, readRecordings } from '../conformance/gazette.ts';
import { sha256 } from '../support/guide.ts';

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** A caller with its header. */
export interface Asked {
  readonly url: string;
  readonly authorization?: string;
}

/** Content of a soak. */
export interface Target {
  readonly name: string;
  readonly snapshot: string;
  /** JSON snapshot whose names fuzzed requests use. */
  readonly fuzzedSnapshot: string;
  /** Config file of the server, and options of the reference. */
  readonly settings: Partial<Config>;
  /** Paths that ordinary visitors request. */
  readonly ordinary: readonly Asked[];
  /** Authorization headers of callers with rights. */
  readonly callers: readonly string[];
}

function demo(): Target {
  const snapshot = pathOf('../../data/demo');
  const authors: { slug?: string }[] = JSON.parse(readFileSync(`${snapshot}/entries/author.json`, 'utf8'));
  const letters = [...'abcdefghij'];
  const urls = [
    ...[1, 2, 3, 4, 5, 6].map((page) => `/api/articles?sort=rating:desc,title&populate=*&pagination[page]=${page}`),
    ...letters.map(
      (letter) => `/api/articles?filters[title][$containsi]=${letter}&sort=publishedOn:desc&populate=author`,
    ),
    ...letters.map((letter) => `/api/authors?filters[name][$startsWithi]=${letter}&populate[team]=true`),
    ...authors.slice(0, 20).map(({ slug }) => `/api/articles?filters[author][slug]=${slug}&fields=title`),
    ...['categories', 'issues', 'places', 'teams', 'homepage'].map((route) => `/api/${route}?populate=*`),
    ...['/api/nothing', '/api/articles?filters[nothing]=1', '/api/articles/nothing', '/api/bookmarks?status=draft'],
  ];
  return {
    name: 'demo',
    snapshot,
    fuzzedSnapshot: snapshot,
    settings: { tokens: [{ name: 'all', sha256: sha256('all'), type: 'full-access' }] } as Partial<Config>,
    ordinary: urls.flatMap((url) => [{ url }, { url, authorization: 'Bearer all' }]),
    callers: ['Bearer all'],
  };
}

function gazette(): Target {
  const token = (name: string, text: string, rest: object) => ({ name, sha256: sha256(text), ...rest });
  const tokens = [
    token('reader', gazetteTokens.reader, { type: 'read-only' }),
    token('some', gazetteTokens.some, {
      type: 'custom',
      permissions: ['api::restaurant.restaurant.find', 'api::chef.chef.find'],
    }),
  ];
  return {
    name: 'gazette (export)',
    snapshot: pathOf('../conformance/gazette/export.tar.gz'),
    fuzzedSnapshot: pathOf('../fixtures/guide'),
    settings: { tokens, jwtSecret: 'jwtsecretjwtsecretjwtsecret123456' } as Partial<Config>,
    ordinary: readRecordings().map(({ path, auth }) => ({ url: path, authorization: authorization(auth) })),
    callers: ['reader', 'some', 'user'].map((asker) => authorization(asker as 'user')!),
  };
}

export const targets: Record<string, () => Target> = { demo, gazette };

/** The content of the server without cached replies, as a reference. */
export function openReference({ snapshot, settings }: Target): Promise<Content> {
  return open(snapshot, { ...settings, cacheBytes: 0 } as object);
}
