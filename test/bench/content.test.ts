/** The generated contents of the benchmarks: repeatable, valid, and read as Lectern serves them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { contents } from '../../bench/content/index.ts';
import { type Row, readRows } from '../../bench/content/rows.ts';
import { type Populate, reply, shaper } from '../../bench/content/shape.ts';
import { badQueries } from '../../bench/load/bad-queries.ts';
import { open } from '../../src/index.ts';
import { temporaryFolder } from '../support/folders.ts';

const folder = temporaryFolder();

const page = { page: 1, pageSize: 10_000 };
const sizes: Record<string, number> = { magazine: 1000, links: 400, pages: 120 };

describe.each(contents)('$name', (content) => {
  const snapshot = join(folder, content.name);
  content.write(snapshot, sizes[content.name], 1);

  test('the same arguments give the same entries', () => {
    const again = join(folder, `${content.name}-again`);
    content.write(again, sizes[content.name], 1);
    const main = (path: string) => readFileSync(join(path, 'entries', `${content.main}.json`), 'utf8');
    expect(main(again) === main(snapshot)).toBe(true);
  });

  test('queries without a useful index are answered or rejected by a limit', async () => {
    const lectern = await open(snapshot);
    const asked = Object.values(badQueries[content.name]);
    expect(asked.length).toBeGreaterThan(5);
    for (const path of asked) {
      const { status, body } = await lectern.answer(`/api/${path}`, {});
      const { error } = JSON.parse(body.toString());
      expect({ path, status, limited: error?.details.setting !== undefined }).toEqual({
        path,
        status: error ? 400 : 200,
        limited: error !== undefined,
      });
    }
  });

  test('rows have what Lectern serves, including both sides of relations', async () => {
    const lectern = await open(snapshot, { maxLimit: 10_000 });
    const rows = readRows(snapshot);
    // single types are served in another form; components of the magazine have no ids in its files
    for (const type of rows.schema.types.filter(({ name }) => !['homepage', 'invoice'].includes(name))) {
      const parts = type.attributes.filter(({ kind }) => kind !== 'scalar' && kind !== 'json');
      const served = parts.filter(({ kind }) => kind === 'relation' || content.name !== 'magazine');
      const populate: Populate = Object.fromEntries(served.map(({ name }) => [name, {}]));
      const found = lectern.find(type.plural, { populate: Object.keys(populate), sort: 'id', pagination: page });
      const expected = JSON.parse(JSON.stringify(found));
      const entries = rows.type(type.name).map(shaper(rows.schema, { type: type.name, populate }));
      const given = JSON.parse(reply(entries, page, entries.length).toString());
      const first = given.data.findIndex(
        (entry: Row, index: number) => !isDeepStrictEqual(entry, expected.data[index]),
      );
      expect({ type: type.name, entry: given.data[first] }).toEqual({ type: type.name, entry: expected.data[first] });
      expect(given.meta).toEqual(expected.meta);
      expect(given.data.length).toBeGreaterThan(5);
    }
  });
});
