import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { linkModules, packageOf } from '../strapi/installed.ts';
import { temporaryFolder } from '../support/folders.ts';
import { newestVersions } from './newest.ts';
import { pageOf } from './page.ts';
import { type Outcome, runStep } from './run-step.ts';
import { type Step, stepsOf } from './steps.ts';

const folder = temporaryFolder();
const never = new AbortController().signal;

/** A step that runs a script of a shell. */
const stepOf = (script: string, more: Partial<Step> = {}): Step => ({
  name: 'a step',
  command: ['sh', '-c', script],
  limit: 1,
  counts: /^\d+ passed$/,
  ...more,
});
const runScript = (script: string, more: Partial<Step> = {}, interrupted = never) =>
  runStep(stepOf(script, more), join(folder, 'step.log'), interrupted);

function isAlive(pid: number): boolean {
  try {
    // a killed process may wait for its parent to read its status
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a step passes with the last line of counts that it has printed, and its output is kept', async () => {
  const outcome = await runScript('echo 1 passed; echo 2 passed >&2; echo end');
  expect(outcome).toMatchObject({ failure: null, counts: '2 passed', log: join(folder, 'step.log') });
  expect(readFileSync(outcome.log!, 'utf8')).toBe('1 passed\n2 passed\nend\n');
});

test('a step with another status than 0 fails, and keeps its counts', async () => {
  expect(await runScript('echo 2 passed; exit 3')).toMatchObject({ failure: 'status 3', counts: '2 passed' });
});

test('a step that a signal ends fails', async () => {
  expect(await runScript('kill -9 $$')).toMatchObject({ failure: 'ended by SIGKILL', counts: null });
});

test('a step that prints no counts fails with status 0, too', async () => {
  expect(await runScript('echo nothing')).toMatchObject({ failure: 'printed no counts', counts: null });
});

test('a step whose program is missing fails', async () => {
  const outcome = await runScript('', { command: [join(folder, 'missing')] });
  expect(outcome.failure).toContain('ENOENT');
});

test('a step over its limit is ended with the processes that it has started', async () => {
  const script = 'sleep 300 & echo "$!"; (sleep 301 & echo "$!"; wait) & echo "$!"; echo 2 passed; wait';
  const outcome = await runScript(script, { limit: 0.02 });
  expect(outcome).toMatchObject({ failure: 'over its limit of 0.02 minutes', counts: '2 passed' });
  expect(outcome.seconds).toBeLessThan(60);
  const pids = readFileSync(outcome.log!, 'utf8').match(/^\d+$/gm)!.map(Number);
  expect(pids).toHaveLength(3);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('what a step leaves running is ended after it', async () => {
  const outcome = await runScript('sleep 300 & echo "$!"; echo 1 passed');
  expect(outcome.failure).toBeNull();
  expect(isAlive(Number.parseInt(readFileSync(outcome.log!, 'utf8'), 10))).toBe(false);
});

test('an interrupted step is ended', async () => {
  const interruption = new AbortController();
  const running = runScript('echo "$$"; sleep 300', {}, interruption.signal);
  await sleep(100);
  interruption.abort();
  expect(await running).toMatchObject({ failure: 'interrupted' });
});

test('the page shows versions, results, durations, counts and logs', () => {
  const [step] = [stepOf('')];
  const outcomes: Outcome[] = [
    { step: { ...step, name: 'one' }, failure: null, seconds: 90, counts: '7 a|b', log: '/logs/one.log' },
    { step: { ...step, name: 'two' }, failure: 'status 1', seconds: 6, counts: null, log: '/logs/two.log' },
    { step: { ...step, name: 'three' }, failure: 'not run', seconds: 0, counts: null, log: null },
  ];
  expect(
    pageOf(new Date('2026-11-29T02:03:04Z'), { Lectern: 'abc', Node: 'v20' }, outcomes),
  ).toBe(`# Nightly run of 2026-11-29 02:03 UTC

| program | version |
|---|---|
| Lectern | abc |
| Node | v20 |

| step | result | minutes | counts | log |
|---|---|---|---|---|
| one | passed | 1.5 | 7 a\\|b | /logs/one.log |
| two | FAILED: status 1 | 0.1 | none printed | /logs/two.log |
| three | FAILED: not run | 0.0 | none printed | none |

1 of 3 steps passed.

The commands:

    sh -c 
    sh -c 
    sh -c 
`);
});

test('every step is a script of package.json, and only a larger size raises its limit', () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const places = { folder: '/f', strapi: '/s', repositories: null };
  const small = stepsOf({ minutes: 1, cases: 1, edits: 1 }, places);
  const large = stepsOf({ minutes: 60, cases: 4000, edits: 500 }, places);
  for (const [i, { command, limit }] of small.entries()) {
    expect(command.slice(0, 2)).toEqual(['npm', 'run']);
    expect(scripts).toHaveProperty([command[2]]);
    expect(large[i].limit).toBeGreaterThanOrEqual(limit);
  }
  expect(large.at(-1)!.limit).toBeGreaterThan(60 * 1.4);
});

test('the newest versions of Strapi are stable ones up to the latest', () => {
  const published = ['5.9.0', '5.10.0', '5.10.1', '5.11.0-beta.1', '5.11.0', '4.26.0', '6.0.0'];
  expect(newestVersions('5.10.1', published)).toEqual(['5.10.1', '5.10.0', '5.9.0']);
  expect(newestVersions('6.0.0', published)).toEqual(['5.11.0', '5.10.1', '5.10.0', '5.9.0']);
});

test('a project names the version of Strapi that its modules have', () => {
  const installed = temporaryFolder();
  const strapi = join(installed, 'node_modules/@strapi/strapi');
  const project = temporaryFolder();
  expect(() => linkModules(project, installed)).toThrow(
    `${installed} has no Strapi: ${strapi}/package.json is missing`,
  );
  mkdirSync(strapi, { recursive: true });
  writeFileSync(join(strapi, 'package.json'), '{"version":"5.99.1"}');
  linkModules(project, installed);
  expect(JSON.parse(packageOf(project)).dependencies).toMatchObject({
    '@strapi/strapi': '5.99.1',
    '@strapi/plugin-users-permissions': '5.99.1',
    pg: expect.not.stringMatching('5.99.1'),
  });
});
