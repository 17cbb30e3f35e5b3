/**
 * Gives the files of this version to earlier ones, and lets replicas of two versions follow one publisher:
 *
 *     npm run test:upgrade [-- 2026-11-23-22281489fa …]    # versions of test/upgrade/made; default: all
 *
 * Builds each version once, in the temporary folder. Fails if one answers otherwise than this version, or ends without a
 * sentence.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { builtCli } from '../../bench/program.ts';
import { temporaryFolder } from '../support/folders.ts';
import {
  type Answer,
  answersOf,
  change,
  changePreview,
  content,
  kinds,
  makeFiles,
  openFiles,
  publisherIn,
  serving,
  settings,
} from './files.ts';
import { type Made, readSettingNames, unpackMade, versions } from './made.ts';
import { killServers, Refused } from './server-of.ts';
import { buildVersion } from './versions.ts';

const outcomes = { opened: 0, refused: 0, failed: 0 };

function report(version: string, what: string, outcome: string): void {
  console.log(`| ${version} | ${what} | ${outcome} |`);
}

/** Runs a check, which returns what differs or null, and prints its outcome. */
async function check(version: string, what: string, run: () => Promise<string | null>): Promise<void> {
  try {
    const difference = await run();
    outcomes[difference === null ? 'opened' : 'failed']++;
    report(version, what, difference === null ? 'opens' : `DIFFERS: ${difference}`);
  } catch (error) {
    outcomes[error instanceof Refused ? 'refused' : 'failed']++;
    report(version, what, `${error instanceof Refused ? 'refuses' : 'FAILS'}: ${(error as Error).message}`);
  }
}

/** Returns the first difference in what readers see, or null. Throws a Refused if there is none but a content that is not served. */
function differenceOf(found: readonly Answer[], expected: readonly Answer[]): string | null {
  let refusal: string | null = null;
  for (const [i, { path, status, body, version }] of expected.entries()) {
    const answer = found[i]!;
    if (answer.status === status && answer.body === body && answer.version === version) continue;
    if ([409, 503].includes(answer.status)) refusal ??= answer.body;
    else return `${path}: ${answer.status} ${answer.version} ${answer.body} in place of ${status} ${version} ${body}`;
  }
  if (refusal !== null) throw new Refused(refusal);
  return null;
}

function copyOf(folder: string): string {
  const copy = temporaryFolder('lectern-upgrade-');
  cpSync(folder, copy, { recursive: true });
  return copy;
}

/** What an earlier version does with the files of this one. */
async function checkFiles(version: string, cli: string, made: Made, { folder, answers }: PresentFiles): Promise<void> {
  for (const [kind, expected] of Object.entries(answers)) {
    if (!made.answers[kind]) continue;
    await check(version, kind, async () => differenceOf(await openFiles(cli, kind, copyOf(folder)), expected));
  }
  const unknown = readSettingNames().find((name) => !made.settings.includes(name));
  if (unknown === undefined) return;
  const value = unknown.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), null);
  const config = join(temporaryFolder(), 'settings.json');
  writeFileSync(config, JSON.stringify({ ...settings, ...(value as object) }));
  await check(version, `setting ${unknown}`, () =>
    serving(cli, folder, [content, '--config', config], async () => 'an unknown setting is taken'),
  );
}

/** An earlier version opens its own files again after this one has written to them. */
async function checkWayBack(version: string, cli: string): Promise<void> {
  const { folder } = unpackMade(version);
  const later = [{ upsert: 'api::tag.tag', entry: { documentId: 'way-back', name: 'Way back' } }];
  for (const kind of ['journal', 'compacted journal', 'contents']) {
    const answers = await serving(builtCli, folder, kinds[kind]!.open(folder), async (server) => {
      if (kind === 'contents') await changePreview(server, later);
      else await change(server, later);
      return answersOf(server, kinds[kind]!);
    });
    await check(version, `its own ${kind}, changed by this version`, async () =>
      differenceOf(await openFiles(cli, kind, folder), answers),
    );
  }
}

/** A replica of one version follows a publisher of another, while it publishes. */
async function checkReplica(version: string, publisher: string, replica: string, what: string): Promise<void> {
  const folder = temporaryFolder('lectern-upgrade-');
  const kind = kinds.publication!;
  await check(version, what, () =>
    serving(publisher, folder, publisherIn(folder), (published) =>
      serving(replica, folder, kind.open(folder), async (replicated) => {
        for (let i = 1; i <= 3; i++) {
          const entry = { documentId: `live-${i}`, name: `Live ${i}`, parent: 'news' };
          const { version: reached } = JSON.parse(await change(published, [{ upsert: 'api::tag.tag', entry }]));
          for (let waits = 0; waits < 100; waits++) {
            const { headers } = await replicated.ask('/api/tags');
            if (headers['x-lectern-version'] === reached) break;
            await setTimeout(50);
          }
        }
        return differenceOf(await answersOf(replicated, kind), await answersOf(published, kind));
      }),
    ),
  );
}

interface PresentFiles {
  readonly folder: string;
  readonly answers: Readonly<Record<string, readonly Answer[]>>;
}

const given = process.argv.slice(2);
const folder = temporaryFolder('lectern-upgrade-');
const present: PresentFiles = { folder, answers: await makeFiles(builtCli, folder) };
console.log('| version | given | outcome |\n|---|---|---|');
for (const version of given.length > 0 ? given : versions) {
  const { made } = unpackMade(version);
  const cli = buildVersion(version.split('-').at(-1)!);
  await checkFiles(version, cli, made, present);
  await checkWayBack(version, cli);
  if (!made.answers.publication) continue;
  await checkReplica(version, builtCli, cli, 'a replica of it beside a publisher of this version');
  await checkReplica(version, cli, builtCli, 'a publisher of it beside a replica of this version');
}
killServers();
console.log(`${outcomes.opened} opened, ${outcomes.refused} refused with a sentence, ${outcomes.failed} failed`);
process.exit(outcomes.failed === 0 ? 0 : 1);
