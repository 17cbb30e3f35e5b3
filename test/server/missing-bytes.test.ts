/** A store that says that rows have more bytes than it holds: a reply never has bytes that were not written for it. */
import { expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { attachStore, describeStore } from '../../src/store/attach-store.ts';
import { thingSnapshot } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { start, stopServersAfterEach } from '../support/server.ts';

stopServersAfterEach();

const rows = 20;

/** Things whose last row is `added` bytes further than its JSON. */
async function thingsWithShiftedRow(added: number): Promise<Content> {
  const entries = Array.from({ length: rows }, (_, i) => ({ documentId: `d${i}`, title: 'own '.repeat(200) }));
  const loaded = await loadSnapshot(thingSnapshot({ title: { type: 'text' } }, entries));
  const { manifest, arrays } = describeStore(loaded.store);
  const starts = arrays[manifest.arrays.positions['api::thing.thing/jsonRows/starts']!] as Uint32Array;
  starts[starts.length - 1]! += added;
  const store = attachStore(loaded.store.schema, { manifest, arrays });
  return new Content({ ...loaded, store }, readOptions({ public: true }), 0);
}

test.each([1, 3_000, 60_000, 2 ** 31])(
  'a row that is %d bytes behind its JSON is a 500 that holds none of them',
  async (added) => {
    const { port, lines } = await start({}, await thingsWithShiftedRow(added));
    // fills the memory that replies share
    for (let i = 0; i < rows - 1; i++) {
      const { status } = await askServer(port, `/api/things/d${i}`);
      expect(status).toBe(200);
    }
    for (const path of [`/api/things/d${rows - 1}`, '/api/things?pagination[pageSize]=20']) {
      const { status, body } = await askServer(port, path);
      expect([status, body.includes('own')]).toEqual([500, false]);
    }
    expect((await askServer(port, '/api/things/d0')).status).toBe(200);
    const messages = lines.filter(({ level }) => level === 50).map(({ err }) => err.message);
    expect(messages).toHaveLength(2);
    expect(messages[0]).toMatch(/^the store has no bytes \d+ to \d+: the JSON of its rows has \d+ bytes$/);
  },
);
