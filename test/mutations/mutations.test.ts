import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutations, suites } from './mutations.ts';

const project = new URL('../../', import.meta.url);

test.each(mutations)('applies to the source: $title', ({ file, from }) => {
  expect(readFileSync(new URL(`src/${file}`, project), 'utf8').split(from)).toHaveLength(2);
});

test('every suite exists', () => {
  const named = new Set([...suites, ...mutations.flatMap(({ tests }) => tests)]);
  expect([...named].filter((path) => !existsSync(new URL(path, project)))).toEqual([]);
});
