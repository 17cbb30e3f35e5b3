import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ContentError, createClient } from '../../src/client/index.ts';
import { createListener } from '../../src/http/app.ts';
import { closeServers, listen } from '../support/http.ts';
import { openShared } from '../support/open-shared.ts';
import type { Schema } from './types/demo.ts';

/** The client, over real sockets, with the types of the demo. */

const sha256 = 'd74ff0ee8da3b9806b18c877dbf29bbde50b5bd8e4dad7a3a725000feb82e8f1'; // of "pass"

describe.each(['document', 'strapi'] as const)('of content in the dialect %s', (dialect) => {
  let url: string;
  const clientWith = (options = {}) => createClient<Schema>({ url, ...options });

  beforeAll(async () => {
    const tokens = [{ name: 'site', sha256, type: 'full-access' as const }];
    const content = await openShared('data/demo', { dialect, tokens });
    url = `http://127.0.0.1:${await listen(createListener(content))}/api`;
  });
  afterAll(closeServers);

  test('finds entries of a collection', async () => {
    const { data, meta } = await clientWith().find('articles', {
      filters: { author: { stars: { $gte: 4 } }, kind: ['essay', 'report'] },
      fields: ['title', 'kind'],
      sort: 'title',
      populate: { author: { fields: ['stars'] } },
      pagination: { page: 1, pageSize: 3 },
    });
    expect(data).toHaveLength(3);
    for (const { title, kind, author } of data) {
      expect(title.length).toBeGreaterThan(0);
      expect(['essay', 'report']).toContain(kind);
      expect(author!.stars).toBeGreaterThanOrEqual(4);
    }
    expect(meta.pagination).toMatchObject({ page: 1, pageSize: 3 });
  });

  test('finds the entry of a single type, and one document', async () => {
    const client = clientWith();
    const { data } = await client.find('homepage', { populate: { featured: { fields: ['title'] } } });
    const [{ documentId, title }] = data.featured;
    expect((await client.findOne('articles', documentId, { fields: ['title'] })).data.title).toBe(title);
    const [german] = (await client.find('articles', { locale: 'de' })).data;
    expect((await client.findOne('articles', german.documentId, { locale: 'de' })).data.locale).toBe('de');
  });

  test('counts entries, files and users', async () => {
    const client = clientWith({ token: 'pass' });
    const { meta } = await client.find('articles', { filters: { kind: 'essay' } });
    expect(await client.count('articles', { filters: { kind: 'essay' } })).toBe(meta.pagination!.total);
    expect(await client.count('upload/files')).toBe((await client.find('upload/files')).data.length);
    expect(await client.count('upload/files')).toBeGreaterThan(1);
    const users = await client.count('users');
    expect(users).toBeGreaterThan(1);
    const { data } = await client.find('users', { pagination: { pageSize: 100 } });
    expect(data.length).toBe(users);
    expect((await client.findOne('users', data[0].id)).data.username).toBe(data[0].username);
  });

  test('a value in an empty list finds nothing, as in the library', async () => {
    expect((await clientWith().find('articles', { filters: { id: { $in: [] } } })).data).toEqual([]);
    expect((await clientWith().find('articles', { filters: { slug: null } })).data).toEqual([]);
  });

  test('returns addresses of media files', async () => {
    const client = clientWith();
    const { data } = await client.find('articles', {
      filters: {},
      populate: { cover: true },
      pagination: { pageSize: 100 },
    });
    const cover = data.find((article) => article.cover !== null)!.cover!;
    expect(client.mediaUrl(cover)).toBe(new URL(cover.url!, url).href);
    const [format] = Object.keys((cover.formats ?? {}) as object);
    if (format) expect(client.mediaUrl(cover, format)).toMatch(/^http/);
    expect(client.mediaUrl(cover, 'none')).toBe(null);
    expect(client.mediaUrl(null)).toBe(null);
    expect(client.mediaUrl({ url: 'https://cdn.example/a.png' })).toBe('https://cdn.example/a.png');
  });

  test('an error names status, place and value', async () => {
    const error = await clientWith()
      .find('articles', { filters: { titel: 'x' } as object })
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(ContentError);
    expect(error).toMatchObject({ name: 'ValidationError', status: 400, url: `${url}/articles?filters[titel]=x` });
    expect(error.message).toMatch(/^400 Invalid key titel.*\(filters/);
    expect(error.details).toMatchObject({ key: 'titel', param: 'filters' });
    await expect(clientWith().findOne('articles', 'none')).rejects.toMatchObject({
      status: 404,
      name: 'NotFoundError',
    });
    await expect(clientWith().find('users')).rejects.toMatchObject({ status: 403, name: 'ForbiddenError' });
    await expect(clientWith({ token: 'wrong' }).find('articles')).rejects.toMatchObject({ status: 401 });
  });

  test('a reply that is no JSON is an error with its status', async () => {
    const fetch = async () => new Response('<h1>Bad gateway</h1>', { status: 502 });
    await expect(clientWith({ fetch }).find('articles')).rejects.toThrow(
      `${url}/articles is answered with 502, and no JSON`,
    );
    const page = async () => new Response('<h1>Welcome</h1>');
    await expect(clientWith({ fetch: page }).find('articles')).rejects.toMatchObject({ status: 200 });
  });

  test('asks only once for a reply that did not change', async () => {
    const statuses: number[] = [];
    const counting: typeof fetch = async (address, init) => {
      const response = await fetch(address, init);
      statuses.push(response.status);
      return response;
    };
    const client = clientWith({ fetch: counting, keeps: 2 });
    const first = await client.find('teams');
    const second = await client.find('teams');
    expect(second).toEqual(first);
    second.data[0].name = 'changed';
    expect(await client.find('teams')).toEqual(first);
    expect(statuses).toEqual([200, 304, 304]);
    await client.find('authors');
    await client.find('issues');
    await client.find('teams');
    expect(statuses).toEqual([200, 304, 304, 200, 200, 200]);
    const forgetful = clientWith({ fetch: counting, keeps: 0 });
    await forgetful.find('teams');
    await forgetful.find('teams');
    expect(statuses.slice(6)).toEqual([200, 200]);
  });

  test('can be cancelled', async () => {
    const stop = new AbortController();
    const found = clientWith().find('articles', {}, { signal: stop.signal });
    stop.abort();
    await expect(found).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('sends headers of its own', async () => {
    let sent: unknown;
    const recording: typeof fetch = async (_address, init) => {
      sent = init?.headers;
      return Response.json({ data: [], meta: {} });
    };
    await clientWith({ fetch: recording, token: 't', headers: { 'X-Trace': '1' } }).find('articles');
    expect(sent).toEqual({ Authorization: 'Bearer t', 'X-Trace': '1' });
  });

  test('a documentId is one part of the path', async () => {
    const asked: unknown[] = [];
    const recording: typeof fetch = async (address) => {
      asked.push(address);
      return Response.json({ data: null, meta: {} });
    };
    const client = createClient<Schema>({ url: `${url}//`, fetch: recording });
    await client.findOne('articles', 'a/../b?c');
    await client.findOne('upload/files', 7);
    expect(asked).toEqual([`${url}/articles/a%2F..%2Fb%3Fc`, `${url}/upload/files/7`]);
  });
});

test('a bundle for browsers takes at most 3 KB, and needs nothing of Node', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['src/client/index.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    write: false,
    metafile: true,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.filter(({ external }) => external));
  expect(imports).toEqual([]);
  expect(gzipSync(outputFiles[0].contents).length).toBeLessThanOrEqual(3 * 1024);
});
