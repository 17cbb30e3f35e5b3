/** Prints what each part of the tests costs, as a table for README.md, from a JSON report of vitest. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface Report {
  testResults: { name: string; startTime: number; endTime: number; assertionResults: unknown[] }[];
}

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8')) as Report;
const costs = new Map<string, { seconds: number; tests: number }>();

/** A folder below test/ is one part; so is each file that stands in test/ itself. */
const partOf = (path: string) => {
  const [first, ...rest] = relative(join(import.meta.dirname, '..'), path).split('/');
  return rest.length === 0 ? first : `${first}/`;
};

for (const { name, startTime, endTime, assertionResults } of testResults) {
  const part = partOf(name);
  const cost = costs.get(part) ?? { seconds: 0, tests: 0 };
  cost.seconds += (endTime - startTime) / 1000;
  cost.tests += assertionResults.length;
  costs.set(part, cost);
}

console.log('| part | tests | seconds |\n|---|---:|---:|');
const slowestFirst = [...costs].sort(([, a], [, b]) => b.seconds - a.seconds);
for (const [part, { seconds, tests }] of slowestFirst.filter(([, cost]) => cost.seconds >= 1))
  console.log(`| \`${part}\` | ${tests} | ${seconds.toFixed(1)} |`);
const quick = slowestFirst.filter(([, { seconds }]) => seconds < 1);
const sum = (pick: (cost: { seconds: number; tests: number }) => number) =>
  quick.reduce((total, [, cost]) => total + pick(cost), 0);
console.log(
  `| ${quick.length} others, each under a second | ${sum(({ tests }) => tests)} | ${sum(({ seconds }) => seconds).toFixed(1)} |`,
);
