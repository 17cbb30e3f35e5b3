import { expect, test } from 'vitest';
import { rewriteTables } from '../../bench/report/documents.ts';
import { inprocessReport } from '../../bench/report/inprocess.ts';
import { digits, spreadOf, whole } from '../../bench/report/markdown.ts';
import type { Results } from '../../bench/report/results.ts';
import { refuseTrial, summaries } from '../../bench/report/summaries.ts';

const text = 'before\n<!-- bench means -->\nold\n<!-- end -->\nbetween\n<!-- bench load -->\n<!-- end -->\nafter\n';

test('writes tables between their markers, again and again', () => {
  const tables = { means: '| a |', load: '| $& |' };
  const first = rewriteTables(text, tables, 'x.md');
  expect(first.text).toBe(
    'before\n<!-- bench means -->\n| a |\n<!-- end -->\nbetween\n<!-- bench load -->\n| $& |\n<!-- end -->\nafter\n',
  );
  expect(first.written).toEqual(['means', 'load']);
  expect(rewriteTables(first.text, tables, 'x.md').text).toBe(first.text);
});

test('ignores markers inside a sentence', () => {
  const mentioned = 'Between `<!-- bench NAME -->` and `<!-- end -->`.\n';
  expect(rewriteTables(mentioned + text, { means: 'm', load: 'l' }, 'x.md').text).toContain(mentioned);
});

test('keeps a table that was not measured', () => {
  const { text: rewritten, kept } = rewriteTables(text, { means: null, load: 'new' }, 'x.md');
  expect(rewritten).toContain('old\n<!-- end -->');
  expect(kept).toEqual(['means']);
});

test('rejects unknown names and markers without an end', () => {
  expect(() => rewriteTables(text, { load: '' }, 'x.md')).toThrow('x.md: there is no table "means". Known are load.');
  const unclosed = text.replace('<!-- end -->\nbetween', 'between');
  expect(() => rewriteTables(unclosed, { means: '', load: '' }, 'x.md')).toThrow('"means" has no line <!-- end -->');
  expect(() => rewriteTables('<!-- bench load -->\n', { load: '' }, 'x.md')).toThrow('"load" has no line <!-- end -->');
});

const figures = { median: 1, p99: 2, rate: 1000 };
const slow = { calls: 10, inCollection: 5, costlySet: 1 };
const turns = [{ ...figures, slow, reference: { ...figures, median: 0.5 } }];
const query = { name: 'slug', outsideMeans: false, declined: [], wrong: [] };
const named = (...peers: string[]) => [{ ...query, peers: peers.map((peer) => ({ peer, turns })) }];
const results = (entries: number, options: object) =>
  ({
    machine: {},
    commit: null,
    options: { sets: 200, rounds: 3, ...options },
    inprocess: [{ content: 'magazine', entries, served: 1, queries: named('lectern', 'mingo', 'lokijs') }],
    http: [],
    load: [],
  }) as unknown as Results;

test('shows the shares of what the tail of Lectern is made of', () => {
  expect(summaries(results(100_000, {})).tail).toContain('| magazine | 10 | 50 % | 10 % | 40 % |');
});

test('shows a few peers in the headline, by names for people', () => {
  expect(summaries(results(100_000, {})).headline?.split('\n')).toEqual([
    '|  | median, magazine | 99th percentile, magazine |',
    '| --- | ---: | ---: |',
    '| Lectern | 2.00 | 1.00 |',
    '| LokiJS | 2.00 | 1.00 |',
  ]);
});

test('says how long was measured', () => {
  const { machine } = summaries(results(100_000, { client: 'wrk', seconds: 3 }));
  expect(machine).toMatch(/, 3 rounds, 3 seconds of each load with wrk\.$/);
});

test('rejects the results of a trial', () => {
  expect(() => refuseTrial(results(100_000, {}), 'a.json')).not.toThrow();
  expect(() => refuseTrial(results(5000, { sets: 20 }), 'a.json')).toThrow(
    "option '--documents' is not for the results of a trial: a.json has 5,000 entries of magazine in place of 100,000, 20 sets in place of 200.",
  );
  expect(() => refuseTrial(results(100_000, { rounds: 2 }), 'a.json')).not.toThrow();
  expect(() => refuseTrial(results(100_000, { rounds: 1 }), 'a.json')).toThrow('a.json has one round, without spread.');
});

test('writes a dash for missing numbers and no spread for one round', () => {
  expect([digits(Number.NaN), digits(1 / 0), whole(Number.NaN)]).toEqual(['–', '–', '–']);
  expect([spreadOf([2]), spreadOf([2, 1])]).toEqual(['', '1.00-2.00']);
});

test('shows declined queries as dashes, and warns of empty answers', () => {
  const result = results(1000, {}).inprocess[0];
  const [slug] = result.queries;
  const report = inprocessReport({ ...result, queries: [{ ...slug, peers: [], declined: ['sift'], empty: 3 }] });
  expect(report).toContain('| sift | – | – | – | – | – | – |');
  expect(report).toContain('3 answers have no entries');
});
