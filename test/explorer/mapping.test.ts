import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ExploredQuery, Selection } from '../../src/explorer/query/explored-query.ts';
import { parseUrl } from '../../src/explorer/query/parse-url.ts';
import { printUrl } from '../../src/explorer/query/print-url.ts';
import { gazetteExport, readRecordings } from '../conformance/gazette.ts';
import { caseCount } from '../support/cases.ts';
import { loadShared } from '../support/open-shared.ts';
import { type UrlBinder, urlBinders } from './bound-urls.ts';
import { readFromAddress } from './in-address.ts';
import { RandomUrls } from './random-urls.ts';

/**
 * What is printed after parsing, and what the page reads from its address, mean what the URL means: in each dialect and
 * version, and for callers with few rights.
 */

const seed = Number(process.env.LECTERN_SEED || 20261126);

/** As `toEqual`, which takes ten times as long for values that are equal. */
function expectEqual(value: unknown, expected: unknown, message: () => string): void {
  if (!isDeepStrictEqual(value, expected)) expect(value, message()).toEqual(expected);
}

function expectSameMeaning(binders: readonly UrlBinder[], url: string): void {
  const read = readFromAddress(url);
  if (read !== url)
    for (const { name, bind } of binders) expectEqual(bind(read), bind(url), () => `${name}\n${url}\n${read}`);
  const query = parseUrl(url);
  const printed = printUrl(query);
  if (printed === url) return;
  for (const { name, bind } of binders) expectEqual(bind(printed), bind(url), () => `${name}\n${url}\n${printed}`);
  const again = parseUrl(printed);
  expectEqual(again, query, () => `${url}\n${printed}`);
  expect(printUrl(again), url).toBe(printed);
}

describe(`random URLs, seed ${seed}`, () => {
  let binders: UrlBinder[];

  beforeAll(async () => {
    const { store } = await loadShared('data/demo');
    binders = urlBinders(store, (action) => /author|plugin::upload|team/.test(action));
  });

  test('those of clients keep their meaning', { timeout: 120_000 }, () => {
    const urls = new RandomUrls(seed);
    for (let i = caseCount(1500, 250); i > 0; i--) expectSameMeaning(binders, urls.plain());
  });

  test('odd ones keep their meaning', { timeout: 120_000 }, () => {
    const urls = new RandomUrls(seed + 1);
    const count = caseCount(3000, 500);
    let valid = 0;
    for (let i = count; i > 0; i--) {
      const url = urls.odd();
      expectSameMeaning(binders, url);
      if (binders.some(({ bind }) => bind(url).status === 200)) valid++;
    }
    expect(valid).toBeGreaterThan(count / 4);
  });
});

describe('recorded URLs', () => {
  const recordings = readRecordings().map(({ path, status }) => ({ url: path.slice('/api/'.length), status }));

  test('keep their meaning', { timeout: 60_000 }, async () => {
    const { store } = await loadShared(gazetteExport);
    const binders = urlBinders(store, (action) => !/restaurant|chef/.test(action));
    expect(recordings).toHaveLength(1438);
    // each third of them in turn, unless all cases run
    const step = caseCount(1, 3);
    for (const [i, { url }] of recordings.entries()) if (i % step === 0) expectSameMeaning(binders, url);
  });

  test('those that are answered have controls for nearly everything', () => {
    const answered = recordings.filter(({ status }) => status === 200).map(({ url }) => parseUrl(url));
    expect(answered).toHaveLength(1268);
    const isShown = ({ kept }: ExploredQuery) => kept.length === 0;
    // the others have deep groups, unknown parameters, or a populate that is off
    expect(answered.filter(isShown)).toHaveLength(1151);
    // in these, a populated attribute has filters, a sort or types of its own
    const isFlat = ({ populate }: Selection): boolean =>
      populate.every(({ kept, selection }) => kept.length === 0 && isFlat(selection));
    expect(answered.filter((query) => isShown(query) && isFlat(query.selection))).toHaveLength(1080);
  });
});
