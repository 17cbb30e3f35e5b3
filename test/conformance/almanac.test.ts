import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { authorizations, type Caller, callers, lecternOptions } from '../strapi/version-4/access.ts';
import { almanacExport, comparable, knownDifference, type Recording, readAlmanac } from './almanac.ts';
import { difference } from './difference.ts';

const recordings = readAlmanac();

let content: Content;
let authorization: Record<Caller, string | undefined>;
beforeAll(async () => {
  content = await open(almanacExport, lecternOptions());
  authorization = await authorizations();
});

async function differenceFrom({ caller, path, status, body }: Recording) {
  const reply = await content.answer(path, { authorization: authorization[caller] });
  const found = reply.body.length > 0 ? JSON.parse(reply.body.toString()) : '';
  return difference(comparable({ status, body }), comparable({ status: reply.status, body: found }));
}

test('the recordings are those of Strapi 4', () => {
  expect(recordings.length).toBeGreaterThan(370);
  expect(content.summary).toMatchObject({ strapiVersion: '4.26.2', responseFormat: 'v4', warnings: [] });
});

describe.each(callers)('requested by %s', (caller) => {
  const asked = recordings.filter((recording) => recording.caller === caller);

  test('answers as Strapi 4 did', async () => {
    for (const recording of asked.filter(({ path }) => knownDifference(path) === null)) {
      expect(await differenceFrom(recording), decodeURI(recording.path)).toBeNull();
    }
  });
});

test.each(recordings.filter(({ path }) => knownDifference(path) !== null))(
  'deviates intentionally for $path',
  async (recording) => {
    expect(await differenceFrom(recording), `no longer different: ${knownDifference(recording.path)}`).not.toBeNull();
  },
);
