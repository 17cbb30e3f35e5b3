/** Writes what each folder of tests costs into the table of test/README.md, from a JSON report of vitest. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

interface Report {
  testResults: { name: string; startTime: number; endTime: number; assertionResults: unknown[] }[];
}

const tests = join(import.meta.dirname, '..');
const page = join(tests, 'README.md');
const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8')) as Report;

const costs = new Map<string, { seconds: number; count: number }>();
for (const { name, startTime, endTime, assertionResults } of testResults) {
  const [folder] = relative(tests, name).split('/');
  const cost = costs.get(folder) ?? { seconds: 0, count: 0 };
  cost.seconds += (endTime - startTime) / 1000;
  cost.count += assertionResults.length;
  costs.set(folder, cost);
}

const text = readFileSync(page, 'utf8').replace(
  /^(\| `([\w-]+)\/` \| .* \|) *[\d,]* \| *[\d.]* \|$/gm,
  (row, start: string, folder: string) => {
    const cost = costs.get(folder);
    return cost ? `${start} ${cost.count.toLocaleString('en')} | ${cost.seconds.toFixed(1)} |` : row;
  },
);
writeFileSync(page, text);

const total = [...costs.values()].reduce((sum, { seconds }) => sum + seconds, 0);
const unlisted = [...costs.keys()].filter((folder) => !text.includes(`| \`${folder}/\` |`));
console.log(
  `${testResults.length} files, ${total.toFixed(0)} seconds; not in the table: ${unlisted.join(', ') || 'none'}`,
);
const slowest = testResults
  .map(({ name, startTime, endTime }) => ({ name: relative(tests, name), seconds: (endTime - startTime) / 1000 }))
  .sort((a, b) => b.seconds - a.seconds);
for (const { name, seconds } of slowest.slice(0, 25)) console.log(`${seconds.toFixed(1).padStart(6)} ${name}`);
