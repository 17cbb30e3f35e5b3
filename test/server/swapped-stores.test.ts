import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { caseCount } from '../support/cases.ts';
import { sha256, thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { start, stopServersAfterEach } from '../support/server.ts';

stopServersAfterEach();

const swaps = caseCount(200, 30);
const titlesOf = (swap: number) => Array.from({ length: 40 }, (_, i) => ({ documentId: `d${i}`, title: `${swap}` }));
const load = (swap: number) => loadSnapshot(thingSnapshot({ title: { type: 'text' } }, titlesOf(swap)));

/** Asks for a page that is rendered once, and for compressed and explained replies, cached ones included. */
async function askOverHttp(port: number): Promise<void> {
  const headers = { 'Accept-Encoding': 'br', Authorization: 'Bearer all' };
  const path = '/api/things?pagination[pageSize]=100';
  for (const asked of ['/', path, path]) expect((await askServer(port, asked, { headers })).status).toBe(200);
  const explained = { ...headers, 'X-Lectern-Explain': '1' };
  expect((await askServer(port, path, { headers: explained })).status).toBe(200);
}

test('stores that were replaced are collected, whatever was asked of them', async () => {
  const tokens = [{ name: 'all', sha256: sha256('all'), type: 'full-access' as const }];
  const content = new Content(await load(0), readOptions({ tokens, earlierBytes: 0 }), 0);
  const { port } = await start({ rateLimit: { requests: 1_000_000 } }, content);
  const stores: WeakRef<object>[] = [];
  for (let swap = 1; swap <= swaps; swap++) {
    const loaded = await load(swap);
    stores.push(new WeakRef(loaded.store));
    content.history.replace(loaded);
    for (const url of ['/api/things?sort=title', '/api/things?sort=title', `/api/things?_q=${swap}`]) {
      expect((await content.answer(url, { authorization: 'Bearer all' })).status).toBe(200);
    }
    if (swap % 20 === 0) await askOverHttp(port);
  }
  // lets timers and replies that hold the last stores end
  for (let i = 0; i < 10; i++) {
    await setImmediate();
    gc!();
  }
  const alive = stores.filter((store) => store.deref() !== undefined);
  expect(alive.length).toBeLessThanOrEqual(2);
});
