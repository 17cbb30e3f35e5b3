import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { pullUploads } from '../../../src/follow/rest/pull-uploads.ts';
import { StrapiClient } from '../../../src/follow/rest/strapi-client.ts';
import { gazetteExport, gazetteOptions } from '../../conformance/gazette.ts';
import { sha256 } from '../../support/guide.ts';
import { askServer, closeServers, listen } from '../../support/http.ts';
import { loadShared, openShared } from '../../support/open-shared.ts';
import { start, stopServers } from '../../support/server.ts';
import { pullUrl } from './pulling.ts';

afterAll(stopServers);
afterEach(closeServers);

test('uploaded files are downloaded without the token, and once', async () => {
  const tokens = [{ name: 'all', type: 'full-access' as const, sha256: sha256('all') }];
  const { port } = await start({}, await openShared(gazetteExport, { ...gazetteOptions, tokens }));
  const asked: string[] = [];
  let isBroken = true;
  const proxy = await listen(async (request, response) => {
    const { authorization } = request.headers;
    if (!request.url!.startsWith('/uploads/')) {
      const reply = await askServer(port, request.url!, { headers: { authorization: authorization! } });
      return response.writeHead(reply.status, reply.headers).end(reply.body);
    }
    asked.push(request.url!);
    expect(authorization).toBeUndefined();
    if (asked.length === 1) return request.socket.destroy();
    if (asked.length === 2)
      return response.writeHead(200, { 'Content-Length': 100 }).write('half', () => response.destroy());
    if (asked.length === 4) return response.writeHead(404).end();
    if (asked.length > 6 && isBroken) return response.writeHead(403).end();
    response.end(`bytes of ${request.url}`);
  });
  const settings = { url: `http://127.0.0.1:${proxy}`, token: 'all', concurrency: 1, firstPause: 1 };
  const { folder } = await pullUrl(settings);
  const client = await StrapiClient.open(settings);
  await expect(pullUploads(client, folder, `${folder}.uploads`)).rejects.toThrow(/answers with 403/);
  const before = readdirSync(`${folder}.uploads`);
  expect(before.length).toBeGreaterThanOrEqual(3);

  isBroken = false;
  asked.length = 10;
  const { fileCount, missing } = await pullUploads(client, folder, `${folder}.uploads`);
  const again = asked.slice(10).map((path) => path.slice('/uploads/'.length));
  expect(again.filter((name) => before.includes(name))).toEqual([]);
  expect(missing).toEqual([]);
  const names = readdirSync(join(folder, 'assets', 'uploads'));
  expect(names.length).toBe(fileCount);
  for (const name of names) {
    expect(readFileSync(join(folder, 'assets', 'uploads', name), 'utf8')).toBe(`bytes of /uploads/${name}`);
  }
  const { uploadedFiles } = await loadShared(folder);
  expect(uploadedFiles).toMatchObject({ kind: 'folder', path: join(folder, 'assets', 'uploads') });
});
