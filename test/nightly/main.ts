/**
 * Runs what only a whole night and the newest Strapi can show, and prints one page:
 *
 *     npm run nightly -- [--only TEXT …] [--minutes 60] [--cases 4000] [--edits 500] [--folder DIR]
 *                        [--strapi-version 5.54.0] [--repositories DIR]
 *
 * A TEXT chooses the steps whose names contain it. `--minutes` is the time of the soak. The folder keeps Strapi, the
 * websites and filled databases for later nights, and the page and the logs of each night. `--repositories` is that of
 * `npm run test:fronts`. A step that fails stops no other. Ends with status 1 if one has failed. Needs root and 8 GB.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pageOf } from './page.ts';
import { type Outcome, runStep } from './run-step.ts';
import { installStep, type Step, stepsOf } from './steps.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '60' },
    cases: { type: 'string', default: '4000' },
    edits: { type: 'string', default: '500' },
    folder: { type: 'string', default: join(tmpdir(), 'lectern-nightly') },
    'strapi-version': { type: 'string' },
    repositories: { type: 'string' },
  },
});
const folder = resolve(values.folder);
const strapi = join(folder, 'strapi');
const sizes = { minutes: readNumber('minutes'), cases: readNumber('cases'), edits: readNumber('edits') };
const repositories = values.repositories === undefined ? null : resolve(values.repositories);
const version = values['strapi-version'] ?? null;
if (version !== null && !/^5\.\d+\.\d+$/.test(version)) {
  fail(`--strapi-version takes a version such as 5.54.0, not "${version}"`);
}
const steps = choose(stepsOf(sizes, { folder, strapi, repositories }));

const date = new Date();
const run = join(folder, 'nights', date.toISOString().slice(0, 19).replaceAll(':', '-'));
mkdirSync(run, { recursive: true });
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());

const outcomes: Outcome[] = [];
const needsStrapi = steps.some((step) => step.needsStrapi);
if (needsStrapi) await perform(installStep(strapi, version));
const hasStrapi = needsStrapi && outcomes[0].failure === null;
for (const step of steps) {
  if (interruption.signal.aborted) skip(step, 'not run, because the night was interrupted');
  else if (step.needsStrapi && !hasStrapi) skip(step, 'not run, because Strapi is not installed');
  else await perform(step);
}

// not before the steps: what it imports ends this process at a signal
const { readVersions } = await import('./versions.ts');
const page = pageOf(date, readVersions(strapi), outcomes);
writeFileSync(join(run, 'page.md'), page);
console.log(page);
process.exit(outcomes.every(({ failure }) => failure === null) ? 0 : 1);

async function perform(step: Step): Promise<void> {
  console.error(`${step.name} …`);
  const outcome = await runStep(step, join(run, `${step.name.replaceAll(' ', '-')}.log`), interruption.signal);
  console.error(`${step.name}: ${outcome.failure ?? 'passed'}`);
  outcomes.push(outcome);
}

function skip(step: Step, failure: string): void {
  outcomes.push({ step, failure, seconds: 0, counts: null, log: null });
}

/** `--only` takes one or more texts. */
function choose(all: readonly Step[]): readonly Step[] {
  if (positionals.length > 0 && values.only.length === 0)
    fail(`"${positionals[0]}" is no option. Did you mean --only?`);
  const texts = [...values.only, ...positionals];
  const unknown = texts.find((text) => !all.some(({ name }) => name.includes(text)));
  if (unknown !== undefined)
    fail(`no step is named like "${unknown}". The steps: ${all.map(({ name }) => name).join(', ')}`);
  return all.filter(({ name }) => texts.length === 0 || texts.some((text) => name.includes(text)));
}

function readNumber(name: 'minutes' | 'cases' | 'edits'): number {
  if (/^[1-9]\d{0,5}$/.test(values[name])) return Number(values[name]);
  return fail(`--${name} takes a whole number from 1 on, not "${values[name]}"`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
