import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { recordedProjects, unpackProject } from '../load/project/recorded-projects.ts';
import { authorizations } from '../strapi/access.ts';
import { type Answer, compareAnswers } from '../strapi/compare-answers.ts';
import { deviationOf } from '../strapi/deviations.ts';
import type { Request } from '../strapi/queries/query-context.ts';

/**
 * What a Strapi 5.54 on SQLite answered about three projects: to requests for each rule of SQLite, and for the museum to
 * random requests of all kinds. test/strapi/projects/record.ts recorded them.
 */
interface Recording extends Request, Answer {
  readonly project: string;
}

const text = gunzipSync(readFileSync(new URL('sqlite/recordings.jsonl.gz', import.meta.url))).toString();
const recordings: Recording[] = text
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

/** Differences that are not meant, by a part of the decoded path. */
const knownDifferences: readonly [part: string, reason: string][] = [
  [
    '/api/upload/files?populate[related][on][api::room.room]=true',
    'which localizations Strapi leaves out depends on the joins of its SQL; on PostgreSQL it does the same',
  ],
  ['sort[0]=languages:asc', 'SQLite sorts JSON that is a number before all texts; Lectern sorts its text'],
  ['sort[0]=keywords:asc', 'SQLite sorts JSON that is a number before all texts; Lectern sorts its text'],
  ['sort[]=mentor.languages:desc', 'SQLite sorts JSON that is a number before all texts; Lectern sorts its text'],
  ['sort[0]=lead.languages:desc', 'SQLite sorts JSON that is a number before all texts; Lectern sorts its text'],
  ['sort[0]=dishes:desc', 'SQLite sorts JSON that was encoded twice as it is stored; Lectern sorts what is served'],
  ['filters[rawJSON][$lt]=7', 'SQLite compares JSON that is a number as a number; Lectern compares its text'],
];

const reasonOf = ({ path }: Recording) =>
  knownDifferences.find(([part]) => decodeURIComponent(path.replaceAll('+', ' ')).includes(part))?.[1] ?? null;

test('the recordings are complete', () => {
  expect(recordings.length).toBe(1400);
  expect(recordings.filter(({ status }) => status >= 500).length).toBe(22);
});

describe.each(recordedProjects)('%s', (name) => {
  test('answers as Strapi on SQLite did', { timeout: 60_000 }, async () => {
    const content = await open(unpackProject(name));
    const known = await authorizations();
    expect(content.summary.database).toBe('sqlite');
    for (const recording of recordings.filter(({ project }) => project === name)) {
      const { path, caller, headers, status, body } = recording;
      const reply = await content.answer(path, {
        authorization: known[caller],
        responseFormat: headers?.['strapi-response-format'],
      });
      const found = { status: reply.status, body: roundedIntegers(reply.body.toString()) };
      const difference = compareAnswers(recording, { status, body }, found);
      const isDeviation = difference && deviationOf(recording, { status, body }, found, difference) !== null;
      const what = `${caller} ${decodeURIComponent(path)}`;
      if (reasonOf(recording) === null) expect(isDeviation ? null : difference, what).toBeNull();
      else expect(difference, `no longer different: ${what}`).not.toBeNull();
    }
  });
});

/** A body with big integers as Strapi reads them from SQLite: as doubles. */
function roundedIntegers(body: string): unknown {
  if (body === '') return '';
  return JSON.parse(body, (_, value) =>
    typeof value === 'string' && /^-?\d{16,}$/.test(value) ? String(Number(value)) : value,
  );
}
