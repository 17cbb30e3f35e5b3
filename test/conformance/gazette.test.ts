import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { difference } from './difference.ts';
import { failures, type Ruled } from './failures.ts';
import { authorization, openGazette, type Recording, readRecordings } from './gazette.ts';

/** Replays every recorded request. If the recorded server failed, `failures.ts` has the expected reply. */

interface Answer {
  status: number;
  body: any;
}

const recordings = readRecordings();
const answered = recordings.filter(({ status }) => status < 500);
const failed = recordings.filter(({ status }) => status >= 500);

let content: Content;
const compared = new Set<number>();

beforeAll(async () => {
  content = await openGazette();
});

async function ask({ path, auth }: Recording): Promise<Answer> {
  const { status, body } = await content.answer(path, { authorization: authorization(auth) });
  return { status, body: JSON.parse(body.toString('utf8')) };
}

function recorded({ status, body }: Recording): Answer {
  return { status, body };
}

/** Returns the request and the first difference, or null if the replies are equal. */
function departures({ n, kind, auth, path }: Recording, expected: Answer, found: Answer): string[] {
  compared.add(n);
  const where = difference(expected, found);
  if (!where) return [];
  const shown = (value: unknown) => String(JSON.stringify(value)).slice(0, 300);
  const request = `#${n} ${kind} ${auth} ${decodeURIComponent(path)}`;
  return [`${request}\n  ${where.at}: expected ${shown(where.expected)}, found ${shown(where.found)}`];
}

/** The part of a reply that a rule determines: entries and page, or the rejected key. */
function ruledPart({ status, body }: Answer): Answer {
  if (status === 200) {
    const ids = body.data.map(({ id }: { id: number }) => id);
    return { status, body: { ids, pagination: body.meta.pagination } };
  }
  return { status, body: { name: body.error.name, key: body.error.details.key, param: body.error.details.param } };
}

function ruledAnswer(ruled: Ruled): Answer {
  if ('ids' in ruled) return { status: 200, body: { ids: ruled.ids, pagination: ruled.pagination } };
  return { status: 400, body: { name: 'ValidationError', key: ruled.key, param: ruled.param } };
}

describe('answers as recorded', () => {
  const groups = new Map<string, Recording[]>();
  for (const recording of answered) {
    const title = `${recording.kind}, ${recording.auth}, ${recording.status}`;
    groups.set(title, [...(groups.get(title) ?? []), recording]);
  }

  test.each(Array.from(groups))('%s', async (_, group) => {
    const found: string[] = [];
    for (const recording of group) found.push(...departures(recording, recorded(recording), await ask(recording)));
    expect(found).toEqual([]);
  });
});

describe('answers by the rules where the recorded server failed', () => {
  test('has exactly one rule for each failure', () => {
    expect(Object.keys(failures).map(Number)).toEqual(failed.map(({ n }) => n));
  });

  const titled = failed.map((recording) => [`#${recording.n}: ${failures[recording.n]?.reason}`, recording] as const);
  test.each(titled)('%s', async (_, recording) => {
    const found = ruledPart(await ask(recording));
    expect(departures(recording, ruledAnswer(failures[recording.n]), found)).toEqual([]);
  });
});

test('compares every recorded request', () => {
  expect(compared.size).toBe(1438);
});
