import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { authorizations, lecternConfig } from '../strapi/access.ts';
import { difference } from './difference.ts';

/**
 * A museum, of the content model that test/strapi compares a running Strapi with: what that Strapi answered to random
 * requests of all kinds, the mistaken ones too, and to those that are written down in strapi/queries.
 */
interface Recording {
  n: number;
  caller: string;
  path: string;
  headers?: Record<string, string>;
  status: number;
  body: unknown;
}

const folder = new URL('museum/', import.meta.url);
const read = (name: string) => gunzipSync(readFileSync(new URL(name, folder))).toString();
const text = read('recordings.jsonl.gz') + read('written.jsonl.gz');
const recordings: Recording[] = text
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));

let content: Content;
let authorization: Record<string, string | undefined>;
beforeAll(async () => {
  content = await open(fileURLToPath(new URL('export.tar.gz', folder)), lecternConfig());
  authorization = await authorizations();
});

test('the recordings are unchanged', () => {
  expect(recordings.length).toBe(1717);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  expect(digest).toBe('d4e6d1f59095');
});

const callers = [...new Set(recordings.map(({ caller }) => caller))].sort();

describe.each(callers)('requested by %s', (caller) => {
  const statuses = [...new Set(recordings.filter((one) => one.caller === caller).map(({ status }) => status))].sort();

  test.each(statuses)('answers with status %i as recorded', async (status) => {
    for (const { n, path, headers, body } of recordings.filter((r) => r.caller === caller && r.status === status)) {
      const reply = await content.answer(path, {
        authorization: authorization[caller],
        responseFormat: headers?.['strapi-response-format'],
      });
      const what = `#${n} ${decodeURIComponent(path.replaceAll('+', ' '))}`;
      expect(reply.status, `${what}: ${reply.body}`).toBe(status);
      const found = reply.body.length > 0 ? JSON.parse(reply.body.toString()) : '';
      expect(difference(body, found), what).toBeNull();
    }
  });
});
