import fc from 'fast-check';
import { Gauge, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { cacheFigures, memoryFigures, processFigures } from '../../src/admin-page/state/figures.ts';
import { parseMetrics, sumOf } from '../../src/admin-page/state/metrics-text.ts';
import { askServer } from '../support/http.ts';
import { samples, start, stopServersAfterEach } from '../support/server.ts';

/** The page reads the metrics that a server prints, and makes figures of them. */

stopServersAfterEach();

test('reads every sample of a server, and finds the figures', async () => {
  const { adminPort, port } = await start({ adminPort: 0 });
  await askServer(port, '/api/things');
  const text = (await askServer(adminPort, '/_metrics')).body.toString();
  const parsed = parseMetrics(text);
  const expected = [...samples(text).values()];
  expect(parsed.map(({ value }) => value)).toEqual(expected);
  expect(expected.length).toBeGreaterThan(100);
  for (const [name, value] of [...memoryFigures(parsed, 0), ...processFigures(parsed, Date.now())]) {
    const isAbsent = ['journal, on disk', 'threads replaced'].includes(name);
    expect([name, value === null]).toEqual([name, isAbsent]);
  }
  expect(cacheFigures(parsed).map(({ name }) => name)).toContain('url');
});

test('reads whatever labels and values a registry prints', async () => {
  const label = fc.string({ unit: 'binary-ascii', maxLength: 12 });
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.integer(),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(label, label, value), { selector: ([a, b]) => JSON.stringify([a, b]) }),
      async (rows) => {
        const registers = [new Registry()];
        const gauge = new Gauge({ name: 'a_b:c', help: 'a {b="c"} 1', labelNames: ['one', 'two'], registers });
        for (const [one, two, number] of rows) gauge.set({ one, two }, number);
        const expected = rows.map(([one, two, number]) => ({ name: 'a_b:c', labels: { one, two }, value: number }));
        expect(parseMetrics(await registers[0].metrics())).toEqual(expected);
      },
    ),
    { numRuns: 200 },
  );
});

test('leaves out lines that are no samples', () => {
  expect(parseMetrics('<html>\n{"error": 1}\n# HELP a b\n\na 1\na{b="c"} 2 1700000000000\n')).toEqual([
    { name: 'a', labels: {}, value: 1 },
    { name: 'a', labels: { b: 'c' }, value: 2 },
  ]);
});

test('knows no figure that the metrics lack', () => {
  const known = [...memoryFigures([], null), ...processFigures([], 0)].filter(([, value]) => value !== null);
  expect(known).toEqual([['threads', '1']]);
  expect(sumOf([], 'a')).toBe(null);
});

test('adds up caches of several contents', () => {
  const text = ['a', 'b']
    .flatMap((content) => [
      `lectern_cache_bytes{content="${content}",cache="url"} 10`,
      `lectern_cache_hits_total{content="${content}",cache="url"} 3`,
      `lectern_cache_misses_total{content="${content}",cache="url"} 1`,
    ])
    .join('\n');
  expect(cacheFigures(parseMetrics(text))).toEqual([{ name: 'url', bytes: 20, hitRate: 0.75 }]);
});
