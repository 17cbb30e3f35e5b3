/**
 * Breaks the engine on purpose, one mutation after another, in a copy, and prints the first test that fails. Runs the
 * tests that a mutation names, and all others only if these notice nothing. A mutation that no test notices ends the run
 * with exit code 1. Each takes a few seconds.
 *
 *     npm run test:mutations [-- TEXT]    # those whose title contains a text
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutations, suites } from './mutations.ts';

const root = join(import.meta.dirname, '../..');
const chosen = mutations.filter(({ title }) => title.includes(process.argv[2] ?? ''));
if (chosen.length === 0) throw new Error(`No title of a mutation contains "${process.argv[2]}".`);

interface Report {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

const copy = mkdtempSync(join(tmpdir(), 'lectern-mutations-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const name of ['src', 'test', 'bench', 'data', 'docs', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
  cpSync(join(root, name), join(copy, name), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

/** Runs test files up to the first failure. Returns the failed test, or null. Throws if a file is missing. */
function firstFailure(files: readonly string[]): string | null {
  // vitest ignores a file that does not exist if it finds another one
  const missing = files.filter((file) => !existsSync(join(copy, file)));
  if (missing.length > 0) throw new Error(`no such tests: ${missing.join(', ')}`);
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  try {
    const flags = ['--bail=1', '--reporter=json', `--outputFile=${report}`];
    execFileSync(join(root, 'node_modules/.bin/vitest'), ['run', ...files, ...flags], {
      cwd: copy,
      stdio: 'ignore',
      timeout: 600_000,
    });
    return null;
  } catch {
    if (!existsSync(report)) return 'the tests do not end';
  }
  for (const { name, status, assertionResults } of (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults) {
    const file = name.slice(copy.length + 1);
    const failed = assertionResults.find((result) => result.status === 'failed');
    if (failed) return `${file}: ${failed.fullName.trim()}`;
    if (status === 'failed' && assertionResults.length === 0) return `${file}: the file cannot be loaded`;
  }
  return 'an error outside of the tests';
}

const broken = firstFailure(suites);
if (broken) {
  console.error(`A test fails without a mutation: ${broken}`);
  process.exit(1);
}
let unnoticed = 0;
for (const { title, file, from, to, tests } of chosen) {
  const path = join(copy, 'src', file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`${title}: ${file} must contain this once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const found = firstFailure(tests) ?? firstFailure(suites);
  writeFileSync(path, text);
  if (!found) unnoticed++;
  console.log(`| ${title} | \`${file}\` | ${found ?? '**nothing**'} |`);
}
console.log(`${chosen.length - unnoticed} of ${chosen.length} mutations noticed`);
process.exit(unnoticed > 0 ? 1 : 0);
