import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mutations } from './mutations.ts';

test.each(mutations)('applies to the source: $title', ({ file, from }) => {
  expect(readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8').split(from)).toHaveLength(2);
});
