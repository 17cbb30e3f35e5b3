import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.ts';
import { openShared } from '../../support/open-shared.ts';
import { start, stopServers } from '../../support/server.ts';
import { loadGenerator } from './generate-types.ts';

/** A client that openapi-typescript and openapi-fetch make of the document of a running server. */

const repository = join(import.meta.dirname, '../../..');
const folder = temporaryFolder();
const ownClient = join(repository, 'src/client/index.ts');

const client = `
import createClient from 'openapi-fetch';
import { stringifyQuery } from 'lectern/client';
import type { components, paths } from './schema.ts';

export async function read(baseUrl: string) {
  const client = createClient<paths>({ baseUrl, querySerializer: stringifyQuery });
  const filters: components['schemas']['ArticlesFilters'] = {
    author: { name: { $containsi: 'a' } },
    $or: [{ kind: 'essay' }, { rating: { $gt: 2 } }],
  };
  const list = await client.GET('/articles', {
    params: {
      query: {
        filters,
        fields: ['title', 'rating'],
        populate: { author: { fields: ['name'] }, categories: { count: true } },
        sort: ['rating:desc', 'title'],
        pagination: { page: 1, pageSize: 3 },
      },
    },
  });
  const titles: (string | null | undefined)[] = list.data!.data.map(({ title }) => title);
  const path = { documentId: list.data!.data[0].documentId };
  const one = await client.GET('/articles/{documentId}', { params: { path, query: { populate: '*' } } });
  const missing = await client.GET('/articles/{documentId}', { params: { path: { documentId: 'none' } } });
  const message: string | undefined = missing.error?.error.message;
  return { titles, list: list.data!, one: one.data!, message };
}
`;

const mistakes = `
import type { components, paths } from './schema.ts';

type Query = NonNullable<paths['/articles']['get']['parameters']['query']>;
// @ts-expect-error
export const attribute: Query['filters'] = { nope: 'x' };
// @ts-expect-error
export const operator: Query['filters'] = { title: { $nope: 'x' } };
// @ts-expect-error
export const related: Query['filters'] = { author: { nope: 'x' } };
// @ts-expect-error
export const field: Query['fields'] = ['nope'];
// @ts-expect-error
export const link: Query['populate'] = { nope: true };
// @ts-expect-error
export const value: components['schemas']['Articles']['title'] = 1;
`;

let address: string;

beforeAll(async () => {
  const { port } = await start({}, await openShared('data/demo'));
  address = `http://127.0.0.1:${port}`;
  const response = await fetch(`${address}/_openapi.json`);
  const generator = await loadGenerator(folder);
  const nodes = await generator.default(await response.text());
  writeFileSync(join(folder, 'schema.ts'), generator.astToString(nodes));
  const fetchPackage = dirname(createRequire(import.meta.url).resolve('openapi-fetch/package.json'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(fetchPackage, join(folder, 'node_modules/openapi-fetch'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'client.ts'), client);
  writeFileSync(join(folder, 'mistakes.ts'), mistakes);
});
afterAll(stopServers);

test('the compiler takes the client, and refuses misspelled names', () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(repository, 'tsconfig.json'), 'utf8'));
  const paths = { 'lectern/client': [ownClient] };
  const options = { ...compilerOptions, lib: ['es2023', 'dom', 'dom.iterable'], types: [], paths };
  const config = { compilerOptions: options, files: ['client.ts', 'mistakes.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(repository, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(compiler, ['-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});

test('the client reads entries of a running server', async () => {
  const outfile = join(folder, 'client.mjs');
  const entry = join(folder, 'client.ts');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    alias: { 'lectern/client': ownClient },
    logLevel: 'error',
  });
  const { read } = await import(pathToFileURL(outfile).href);
  const { titles, list, one, message } = await read(`${address}/api`);
  expect(titles).toHaveLength(3);
  expect(list.meta.pagination).toMatchObject({ page: 1, pageSize: 3 });
  expect(list.data[0].author.name).toMatch(/a/i);
  expect(list.data[0].categories).toEqual({ count: expect.any(Number) });
  expect(one.data.documentId).toBe(list.data[0].documentId);
  expect(message).toBe('Not Found');
});
