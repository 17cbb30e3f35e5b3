import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = new URL('../../docs/specification.md', import.meta.url);
const rules = readFileSync(page, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('- '));
/** A sentence is followed by its tests, `([test](FILE "NAME"))`. Otherwise, the name of the test is the rule. */
const named = /\[test\]\(([^ )]+) "([^"]+)"\)/g;
const rule = /\[([^\]]+)\]\((\.\.\/test\/[^ )]+\.ts)\)/g;

/** Returns the file and the name of each test of a rule. */
function testsOf(line: string): [file: string, name: string][] {
  return [
    ...Array.from(line.matchAll(named), ([, file, name]): [string, string] => [file!, name!]),
    ...Array.from(line.matchAll(rule), ([, name, file]): [string, string] => [file!, name!]),
  ];
}

test('every rule of the page names a test', () => {
  expect(rules.length).toBeGreaterThan(50);
  for (const line of rules) expect(testsOf(line).length, line).toBeGreaterThan(0);
});

test.each(rules)('the tests named by a rule exist: %s', (line) => {
  for (const [path, name] of testsOf(line)) {
    const file = new URL(path, page);
    expect(existsSync(file), path).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`${name}'`);
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
