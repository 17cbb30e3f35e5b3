import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { authorizations, lecternConfig } from '../strapi/access.ts';
import { difference } from './difference.ts';

/**
 * What a Strapi 5.54 on SQLite answered about the museum to requests made by rule: every form of an Authorization header
 * on every kind of route, every form of `fields`, lists, objects and texts mixed in `populate` at each depth, and the
 * descriptions of its types.
 */
interface Recording {
  kind: string;
  /** Whose token was sent, or the header itself. */
  caller?: string;
  authorization?: string;
  path: string;
  status: number;
  body: unknown;
}

const folder = new URL('forms/', import.meta.url);
const recordings: Recording[] = gunzipSync(readFileSync(new URL('recordings.jsonl.gz', folder)))
  .toString()
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

let content: Content;
let tokens: Record<string, string | undefined>;
beforeAll(async () => {
  content = await open(fileURLToPath(new URL('export.tar.gz', folder)), lecternConfig());
  tokens = await authorizations();
});

const kinds = [...new Set(recordings.map(({ kind }) => kind))];

test('recordings of each kind exist', () => {
  expect(kinds).toEqual(['auth', 'fields', 'populate', 'many', 'schemas']);
  expect(recordings.length).toBe(1737);
});

describe.each(kinds)('%s', (kind) => {
  const ofKind = recordings.filter((recording) => recording.kind === kind);
  test.each([...new Set(ofKind.map(({ status }) => status))].sort())(
    'answers with status %i as recorded',
    async (status) => {
      for (const { caller = 'public', authorization, path, body } of ofKind.filter((one) => one.status === status)) {
        // a server trims headers
        const reply = await content.answer(path, { authorization: authorization?.trim() ?? tokens[caller] });
        const what = `${authorization ?? caller}: ${decodeURIComponent(path)}`;
        expect(reply.status, `${what}: ${reply.body}`).toBe(status);
        expect(difference(body, reply.body.length > 0 ? JSON.parse(reply.body.toString()) : ''), what).toBeNull();
      }
    },
  );
});

describe('a list above its limit', () => {
  const items = (param: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${param}[${i}]=room`).join('&');

  test('is an error that names the configured limit', async () => {
    const strict = await open(fileURLToPath(new URL('export.tar.gz', folder)), { ...lecternConfig(), arrayLimit: 4 });
    const reply = await strict.answer(`/api/exhibits?${items('populate', 5)}`);
    expect(JSON.parse(reply.body.toString()).error.message).toMatch(
      /^Too many populate entries \(5\)\. The maximum number of populate entries when using array notation is 4\./,
    );
    expect((await strict.answer(`/api/exhibits?${items('populate', 4)}`)).status).toBe(200);
  });

  test.each(['filters[id][$in]', 'populate[room][filters][id][$in]', 'fields', 'populate[room][fields]', 'locale'])(
    'is an error that names the setting elsewhere: %s',
    async (param) => {
      const reply = await content.answer(`/api/exhibits?${items('populate', 105)}&${items(param, 105)}`);
      expect(JSON.parse(reply.body.toString()).error.details).toMatchObject({ limit: 100, setting: 'arrayLimit' });
    },
  );

  test('is a 400 if a key beside it is too deep', async () => {
    const deep = `filters${'[a]'.repeat(30)}=1`;
    for (const query of [`${items('populate', 105)}&${deep}`, `${deep}&${items('populate', 105)}`]) {
      expect((await content.answer(`/api/exhibits?${query}`)).status).toBe(400);
    }
  });
});
