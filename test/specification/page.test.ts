import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = new URL('../../docs/specification.md', import.meta.url);
const rules = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('- '));
const reference = /\[test\]\(([^ )]+) "([^"]+)"\)/g;

test('every rule of the page names a test', () => {
  expect(rules.length).toBeGreaterThan(50);
  for (const rule of rules) expect(rule, rule).toMatch(/\(\[test\]\(.+\)\)$/);
});

test.each(rules)('the tests named by a rule exist: %s', (rule) => {
  const references = [...rule.matchAll(reference)];
  expect(references.length).toBe(rule.split('[test]').length - 1);
  for (const [, path, title] of references) {
    const file = new URL(path!, page);
    expect(existsSync(file), path).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`'${title}'`);
  }
});

test('every tested rule number is on the page', () => {
  const files = ['fields', 'filters', 'populate', 'populate-rules', 'resources'];
  const numbers = files.flatMap((name) => {
    const text = readFileSync(new URL(`./${name}.test.ts`, import.meta.url), 'utf8');
    return [...text.matchAll(/'(\d(?:\.\d)?(?: rule \d)?)[: ]/g)].map(([, number]) => number!);
  });
  expect(new Set(numbers).size).toBeGreaterThan(20);
  for (const number of new Set(numbers)) {
    expect(
      rules.some((rule) => rule.startsWith(`- **${number}**`)),
      number,
    ).toBe(true);
  }
});
