import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { open } from '../../../src/index.ts';
import { authorizations } from '../../strapi/access.ts';
import { type Answer, compareAnswers } from '../../strapi/compare-answers.ts';
import { deviationOf } from '../../strapi/deviations.ts';
import type { Request } from '../../strapi/queries/query-context.ts';
import { isMysql, MysqlServer } from './mysql-server.ts';
import { projectAt, recordedCollations, restore } from './recorded.ts';

/**
 * What a Strapi 5.54 answered about the museum, on MariaDB 10.11 with several collations and on MySQL 9.7: to requests for
 * each rule, and with the first collation to random requests of all kinds. test/strapi/projects/record.ts recorded them.
 */
interface Recording extends Request, Answer {
  readonly collation: string;
}

const text = gunzipSync(
  readFileSync(new URL(`recorded/answers-${isMysql ? 'mysql' : 'mariadb'}/recordings.jsonl.gz`, import.meta.url)),
).toString();
const recordings: Recording[] = text
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

const microseconds = 'the database holds microseconds, which Strapi compares and does not show';

/** Differences that are not meant, by a part of the decoded path. */
const knownDifferences: readonly [part: string, reason: string][] = [
  ['][$eq]=2024-02-29T12:34:56.789Z', microseconds],
  ['][$ne]=2024-02-29T12:34:56.789Z', microseconds],
  ['][$lte]=2024-02-29T12:34:56.789Z', microseconds],
  ['measures:asc', 'Lectern sorts JSON as it is served, MariaDB as it is stored'],
  ['[measures][$lte]=true', 'Lectern compares JSON as it is served, MariaDB as it is stored'],
  ['[measures][$nei]=1000', 'Lectern compares JSON as it is served, MariaDB as it is stored'],
  ['[loggedAt][$gte]=1152439200000 &', 'Lectern rejects a timestamp with a blank at its end'],
  ['[loggedAt][$containsi]=5&', 'Lectern sees a timestamp as milliseconds, MariaDB as a date with time'],
];

const ofMysql: typeof knownDifferences = [
  ['[studies][name][$notIn]=Brass.png', 'links with the same position in a list come in any order'],
];

const reasonOf = ({ path }: Recording) =>
  [...knownDifferences, ...(isMysql ? ofMysql : [])].find(([part]) =>
    decodeURIComponent(path.replaceAll('+', ' ')).includes(part),
  )?.[1] ?? null;

let server: MysqlServer;

beforeAll(async () => {
  server = await MysqlServer.start();
});

afterAll(() => server?.stop());

test('the recordings are complete', () => {
  expect(recordings.length).toBe(isMysql ? 1000 : 2000);
});

describe.each(recordedCollations)('%s', (collation) => {
  test('answers as Strapi did', { timeout: 60_000 }, async () => {
    restore('museum', server, collation, collation);
    const content = await open(projectAt('museum', server, collation));
    const known = await authorizations();
    expect(content.summary).toMatchObject({ database: 'mysql', collation });
    const differences: string[] = [];
    for (const recording of recordings.filter((other) => other.collation === collation)) {
      const { path, caller, headers, status, body } = recording;
      const reply = await content.answer(path, {
        authorization: known[caller],
        responseFormat: headers?.['strapi-response-format'],
      });
      const json = reply.body.toString();
      const found = { status: reply.status, body: json === '' ? '' : JSON.parse(json) };
      const difference = compareAnswers(recording, { status, body }, found);
      const isDeviation = difference && deviationOf(recording, { status, body }, found, difference) !== null;
      const what = `${caller} ${decodeURIComponent(path)}`;
      if (reasonOf(recording) !== null) expect(difference, `no longer different: ${what}`).not.toBeNull();
      else if (difference && !isDeviation) differences.push(`${what} ${JSON.stringify(difference)}`);
    }
    expect(differences).toEqual([]);
  });
});
