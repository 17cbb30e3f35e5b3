import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchLimits, readBatchInSteps } from '../../src/changes/batch/batch.ts';
import { readChangesInSteps } from '../../src/changes/batch/json-change.ts';
import { listsInSteps, packChangesInSteps } from '../../src/content/previews/preview-changes.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce, runInTurns, type Steps } from '../../src/core/steps.ts';
import { readJsonBody } from '../../src/server/admin/read-request.ts';
import { sha256 } from '../support/guide.ts';
import { askServer } from '../support/http.ts';
import { startContents, stopAll } from './running-contents.ts';

/** Bodies on the admin port that somebody wrote to do harm: clear errors, short replies, and no long turn of the loop. */

const thing = 'api::thing.thing';
const admin = { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents', 'changes', 'pin', 'hooks'] }] };
const long = 'x'.repeat(3_000_000);
const manyKeys = (value: unknown) => Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`key${i}`, value]));
const tooManyKeys = Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`key${i}`, 1]));
const levels = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const changing = (entry: unknown) => ({ changes: [{ upsert: thing, entry }] });
const batch = (entity: unknown, count = 1) => ({ batch: { entities: Array(count).fill(entity), links: [] } });

let running: Awaited<ReturnType<typeof startContents>>;

beforeAll(async () => {
  running = await startContents({ settings: { admin } });
});
afterAll(stopAll);

describe('a reply', () => {
  test.each<[string, string, unknown, number, string]>([
    ['deep changes', 'POST /_changes', `{"changes": ${levels(1_000_000)}}`, 400, '1:268: the JSON is nested deeper'],
    ['a deep version', 'POST /_changes', `{"previous": ${levels(1_000_000)}}`, 400, '1:269: the JSON is nested deeper'],
    ['a deep body', 'POST /_changes', levels(1_000_000), 400, '1:257: the JSON is nested deeper than 256 levels'],
    ['a deep base', 'PUT /_contents/p', `{"base": ${levels(1_000_000)}}`, 400, '1:265: the JSON is nested deeper'],
    ['a deep pin', 'PUT /_pin', `{"version": ${levels(1000)}}`, 400, '1:268: the JSON is nested deeper'],
    ['an unclosed list', 'POST /_changes', '['.repeat(1_000_000), 400, '1:257: the JSON is nested deeper'],
    ['a value that is deep for a message', 'POST /_changes', changing(JSON.parse(levels(200))), 422, 'expected an'],
    ['300,000 keys', 'POST /_changes', changing(tooManyKeys), 400, 'an object of more than 10,000 keys'],
    ['300,000 settings', 'PUT /_contents/p', tooManyKeys, 400, 'an object of more than 10,000 keys'],
    ['unknown members', 'POST /_changes', manyKeys(1), 422, 'key19: unknown key, and 8,980 more'],
    ['unknown settings', 'PUT /_contents/p', { snapshot: 'a', ...manyKeys(1) }, 400, 'unknown key, and 8,980 more'],
    ['unknown members of a change', 'POST /_changes', { changes: [{ upsert: thing, ...manyKeys(1) }] }, 422, '8,980'],
    ['unknown attributes', 'POST /_changes', changing({ documentId: 'a', ...manyKeys(1) }), 422, 'and 8980 more'],
    ['a long key', 'POST /_changes', { changes: [], [long]: 1 }, 422, '["xxx'],
    ['a long key twice', 'POST /_changes', `{"${long}": 1, "${long}": 1}`, 400, 'duplicate key "xxx'],
    ['a long type', 'POST /_changes', { changes: [{ upsert: long, entry: {} }] }, 422, 'is no content type'],
    ['a long type in a batch', 'POST /_changes', batch({ type: long, id: 1, data: {} }), 422, 'entities[0], xxx'],
    ['a long path', 'PUT /_contents/p', { snapshot: long }, 400, 'snapshot: must have at most 4096 characters'],
    ['a long name', 'PUT /_contents/p', { base: long }, 400, 'base: must have at most 4096 characters'],
    ['wrong changes', 'POST /_changes', { changes: Array(9000).fill({ upsert: 1 }) }, 422, 'and 17980 more'],
    ['wrong entities', 'POST /_changes', batch({ type: 1, id: 'a' }, 2000), 422, 'and 5980 more'],
    ['wrong tokens', 'PUT /_contents/p', { snapshot: 'a', tokens: Array(3000).fill({}) }, 400, 'more problems'],
    ['too many tokens', 'PUT /_contents/p', { snapshot: 'a', tokens: Array(200_000).fill({}) }, 400, '10,000 values'],
    ['too many members', 'POST /_changes', { previous: Array(20_000).fill(0) }, 400, 'more than 10,000 values besides'],
    ['too many entities', 'POST /_changes', { batch: { entities: Array(20_000).fill(0) } }, 422, 'limit is 10000'],
    ['too many values', 'POST /_changes', `[0${',0'.repeat(7_000_000)}]`, 400, 'holds more than 6,000,000 values'],
    [
      'a text of a book',
      'POST /_changes',
      changing('x'.repeat(5_000_000)),
      400,
      '1:50: the JSON has a text of more than 4,194,304 bytes',
    ],
    ['a long number', 'POST /_changes', `[${'1'.repeat(3_000_000)}]`, 400, 'a number of more than 1,000 characters'],
    ['a preview of anything', 'PUT /_contents/p', { base: 'main', changes: { a: long } }, 422, 'expected a list'],
  ])('to %s is short and says what is wrong', async (_, route, given, expected, message) => {
    const [method, path] = route.split(' ');
    const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
    const body = typeof given === 'string' ? given : JSON.stringify(given);
    const answer = await askServer(running.adminPort, path, { method, headers, body });
    const { error } = answer.json();
    expect([answer.status, error.message]).toEqual([expected, expect.stringContaining(message)]);
    expect(JSON.stringify(error).length).toBeLessThan(100_000);
    expect(error.details.problems?.length ?? 0).toBeLessThanOrEqual(20);
  });
});

/** Each step of the work is short, so the loop turns often. A text is read in one step. */
describe('the loop turns while', () => {
  const turnsDuring = async (work: Promise<unknown>) => {
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await work;
    isDone = true;
    return turns;
  };
  const changes = Array.from({ length: 10_000 }, (_, i) => ({ upsert: thing, entry: { documentId: `d${i}`, i } }));

  test('a body is read', async () => {
    const text = JSON.stringify({ changes: Array(20).fill(changes).flat() });
    const request = Object.assign(Readable.from([Buffer.from(text)]), { headers: {} }) as unknown as IncomingMessage;
    expect(
      await turnsDuring(readJsonBody(request, { maxBytes: batchLimits.bytes, large: ['changes'] })),
    ).toBeGreaterThan(20);
  });

  test('changes of a preview are written and read', async () => {
    const many = [Array(20).fill(changes).flat()];
    const { bytes, revision } = await runInTurns(packChangesInSteps(many, 3));
    expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({ format: 1, revision, lists: many });
    expect(await turnsDuring(runInTurns(packChangesInSteps(many)))).toBeGreaterThan(20);
    expect(await turnsDuring(runInTurns(listsInSteps({ bytes })))).toBeGreaterThan(20);
  });

  test.each([
    ['entities', { entities: Array(10_000).fill({ type: thing, id: 1, data: {} }), links: [] }],
    ['targets', { entities: [], links: [{ type: thing, id: 1, attribute: 'a', targets: Array(10_000).fill({}) }] }],
  ])('%s are validated', (_, value) => {
    expect(stepsOf(readBatchInSteps(value, new Problems('strict', 'batch')))).toBeGreaterThanOrEqual(10_000);
  });

  test('the values of one entry are counted', () => {
    const data = { list: Array(100).fill(Array(10_000).fill(0)) };
    const problems = new Problems('strict', 'batch');
    const entities = [{ type: thing, id: 1, data }];
    expect(stepsOf(readBatchInSteps({ entities, links: [] }, problems))).toBeGreaterThanOrEqual(100);
    expect(stepsOf(readChangesInSteps([{ upsert: thing, entry: data }], problems))).toBeGreaterThanOrEqual(100);
    expect(problems.count).toBe(0);
  });
});

test('only the wrong changes that are listed are quoted', () => {
  let quotes = 0;
  const wrong = { toJSON: () => ++quotes };
  const problems = new Problems('strict', 'batch');
  runAtOnce(readChangesInSteps(Array(1000).fill(wrong), problems));
  expect([problems.count, quotes]).toEqual([1000, 20]);
});

function stepsOf(steps: Steps<unknown>): number {
  let count = 0;
  while (!steps.next().done) count++;
  return count;
}

test('the lists of a preview are packed as they are given', async () => {
  for (const lists of [[], [[]], [[], [1]], [{ no: 'list' }], [[{ a: [1] }, null], [2]]]) {
    const packed = await runInTurns(packChangesInSteps(lists, 1));
    expect(await runInTurns(listsInSteps(packed))).toEqual(lists);
  }
});
