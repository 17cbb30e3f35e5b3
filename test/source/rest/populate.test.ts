import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { mergeParts, type Shown } from '../../../src/follow/rest/read-row.ts';
import { findTypes } from '../../../src/follow/rest/rest-types.ts';
import { RowReader } from '../../../src/follow/rest/row-reader.ts';
import { type Slice, slicesOf } from '../../../src/follow/rest/slices.ts';
import { StrapiClient } from '../../../src/follow/rest/strapi-client.ts';
import type { OpenOptions } from '../../../src/index.ts';
import { lecternConfig, tokens } from '../../strapi/access.ts';
import { openShared } from '../../support/open-shared.ts';
import { start, stopServers } from '../../support/server.ts';

afterAll(stopServers);

const museum = fileURLToPath(new URL('../../conformance/museum/export.tar.gz', import.meta.url));

test('rows that are read in several parts are the same', async () => {
  const { port } = await start({}, await openShared(museum, lecternConfig() as OpenOptions));
  const client = await StrapiClient.open({ url: `http://127.0.0.1:${port}`, token: tokens[0].text });
  const types = await findTypes(client);
  const reader = new RowReader(client, ['en', 'fr', 'de']);
  const read = async (slice: Slice): Promise<Shown[]> => {
    const rows: Shown[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page = await reader.page(slice, after);
      rows.push(...page.rows);
      after = page.next;
    }
    return rows;
  };
  let partCount = 0;
  for (const readable of types.readable.values()) {
    const split = slicesOf(types, readable, 100);
    for (const [i, whole] of slicesOf(types, readable).entries()) {
      expect(whole.parts.length).toBe(1);
      partCount += split[i].parts.length;
      const rows = await read(whole);
      expect(await read(split[i]), whole.name).toEqual(rows);
      const ids = rows.slice(0, 5).map(({ id }) => id);
      expect(await reader.byIds(split[i], ids), whole.name).toEqual(rows.slice(0, 5));
    }
  }
  expect(partCount).toBeGreaterThan(60);
});

test.each<[string, unknown, unknown, unknown]>([
  ['keys of both', { id: 1, a: 1 }, { id: 1, b: 2 }, { id: 1, a: 1, b: 2 }],
  ['elements by position', [{ id: 1, a: 1 }], [{ id: 1, b: [] }], [{ id: 1, a: 1, b: [] }]],
  ['nothing of another row', { id: 1 }, { id: 2 }, undefined],
  ['nothing of another component', { id: 1, __component: 'a.b' }, { id: 1, __component: 'a.c' }, undefined],
  ['nothing of lists of other lengths', { id: 1, a: [1] }, { id: 1, a: [1, 2] }, undefined],
  ['nothing of other values', { id: 1, a: { text: 'x' } }, { id: 1, a: { text: 'y' } }, undefined],
  ['null and null', { id: 1, a: null }, { id: 1, a: null }, { id: 1, a: null }],
])('merging keeps %s', (_, first, second, merged) => {
  expect(mergeParts(first, second)).toEqual(merged);
});
