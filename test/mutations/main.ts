/**
 * Breaks the engine on purpose, one mutation after another, in a copy, and prints the tests that fail. A mutation that no
 * test notices ends the run with exit code 1. Each takes about a minute.
 *
 *     npm run test:mutations [-- TEXT]    # those whose title contains a text
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutations } from './mutations.ts';

const root = join(import.meta.dirname, '../..');
const chosen = mutations.filter(({ title }) => title.includes(process.argv[2] ?? ''));
const suites = [
  'test/specification',
  'test/behaviour',
  'test/property',
  'test/plan',
  'test/run',
  'test/sets',
  'test/store',
  'test/reply',
  'test/access/matrix.test.ts',
  'test/engine/prepared-queries.test.ts',
  'test/engine/serving.test.ts',
];

interface Report {
  testResults: { name: string; status: string; message?: string; assertionResults: { status: string }[] }[];
}

const copy = mkdtempSync(join(tmpdir(), 'lectern-mutations-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const name of ['src', 'test', 'data', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
  cpSync(join(root, name), join(copy, name), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/** The number of failed tests of each file. A file that fails to load counts as one. */
function failures(): Map<string, number> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  try {
    const flags = ['--reporter=json', `--outputFile=${report}`];
    execFileSync(join(root, 'node_modules/.bin/vitest'), ['run', ...suites, ...flags], {
      cwd: copy,
      stdio: 'ignore',
      timeout: 600_000,
    });
  } catch {
    // vitest exits with an error if a test fails
  }
  if (!existsSync(report)) return new Map([['no end', 1]]);
  const found = new Map<string, number>();
  for (const { name, status, assertionResults } of (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults) {
    const failed = assertionResults.filter((result) => result.status === 'failed').length;
    if (failed > 0 || status === 'failed') found.set(name.slice(copy.length + 6), Math.max(failed, 1));
  }
  return found;
}

const untouched = failures();
if (untouched.size > 0) {
  console.error('The tests fail without a mutation:', Object.fromEntries(untouched));
  process.exit(1);
}
let unnoticed = 0;
for (const { title, file, from, to } of chosen) {
  const path = join(copy, 'src', file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${title}: ${file} must contain this once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const found = failures();
  writeFileSync(path, text);
  if (found.size === 0) unnoticed++;
  const list = Array.from(found, ([name, count]) => `${name} (${count})`).join(', ');
  console.log(`| ${title} | \`${file}\` | ${list || '**nothing**'} |`);
}
console.log(`${chosen.length - unnoticed} of ${chosen.length} mutations noticed`);
process.exit(unnoticed > 0 ? 1 : 0);
