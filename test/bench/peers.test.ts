/** Peers of the benchmarks that need no package answer as Lectern does. The others are compared before they are timed. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contents } from '../../bench/content/index.ts';
import { type Rows, readRows } from '../../bench/content/rows.ts';
import { peerNamed } from '../../bench/peers/index.ts';
import { queries } from '../../bench/queries/index.ts';
import { drawSets } from '../../bench/query.ts';
import { open } from '../../src/index.ts';
import { temporaryFolder } from '../support/folders.ts';

const folder = temporaryFolder();

const names = ['plain-arrays', 'map-ready', 'floor-stringify', 'floor-joined'];

const asked = contents.filter(({ name }) => queries.some(({ content }) => content === name));

describe.each(asked)('$name', (content) => {
  const snapshot = join(folder, content.name);
  content.write(snapshot, 1000, 1);
  const rows: Rows = readRows(snapshot);
  const own = queries.filter((query) => query.content === content.name);
  const lectern = open(snapshot, { cacheBytes: 0 });

  test.each(own)('arrays, maps and floors answer $name as Lectern does', async (query) => {
    const content = await lectern;
    const sets = drawSets(query, rows, 3);
    expect(sets.length).toBeGreaterThan(0);
    let answered = 0;
    for (const name of names) {
      const given = (await peerNamed(name).open({ snapshot, rows, queries: own }))(query, sets);
      if (!given) continue;
      answered++;
      for (const set of sets) {
        const { body } = await content.answer(set.url, {});
        const reply = JSON.parse(given(set).toString());
        expect({ name, url: set.url, reply }).toEqual({ name, url: set.url, reply: JSON.parse(body.toString()) });
      }
    }
    expect(answered).toBeGreaterThan(0);
  });
});
