import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Content, JsonSnapshot, OpenOptions } from '../../src/index.ts';
import { openShared } from './open-shared.ts';

export { sha256 } from './sha256.ts';

/** A hand-written snapshot folder: a small restaurant guide. */
export const guideFolder = fileURLToPath(new URL('../fixtures/guide', import.meta.url));

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: { data: unknown; meta?: unknown; error?: ErrorBody };
}

export interface ErrorBody {
  status: number;
  name: string;
  message: string;
  details: Record<string, unknown>;
}

/** The guide as `open` loads it; the dialect is `document` unless an option says otherwise. */
export function openGuide(options: OpenOptions = {}): Promise<Content> {
  return openShared(guideFolder, { dialect: 'document', ...options });
}

/**
 * Encodes a query that is written as plain text; `%`, `&`, `#` and `+` in values are written as `%25`, `%26`, `%23`,
 * `%2B`.
 */
export function encodeQuery(query: string): string {
  return encodeURI(query).replaceAll('%25', '%');
}

/** The parsed reply to `path?query`. `token` is sent as `Authorization: Bearer token`. */
export async function ask(
  content: Content,
  path: string,
  query = '',
  options: { token?: string; authorization?: string; method?: string } = {},
): Promise<Answer> {
  const url = query === '' ? path : `${path}?${encodeQuery(query)}`;
  const authorization = options.token === undefined ? options.authorization : `Bearer ${options.token}`;
  const reply = await content.answer(url, { authorization, method: options.method });
  return { status: reply.status, headers: reply.headers, body: JSON.parse(reply.body.toString('utf8')) };
}

/** The ids of a list in order. Fails if the reply is not a list with status 200. */
export async function idsOf(content: Content, path: string, query = '', token?: string): Promise<number[]> {
  const { status, body } = await ask(content, path, query, { token });
  if (status !== 200) throw new Error(`${path}?${query}: ${status} ${JSON.stringify(body)}`);
  return (body.data as { id: number }[]).map((entry) => entry.id);
}

/** The body of a 400 about one key of the query. */
export function invalidKey(param: string, key: string, path: string | null, message: string): Answer['body'] {
  const details = { key, path, source: 'query', param };
  return { data: null, error: { status: 400, name: 'ValidationError', message, details } };
}

/**
 * Checks the error about one key. `path` and `message` are the recorded ones. The dialect `document` gives the path of
 * the attribute itself and states the problem after the key.
 */
export function expectInvalidKey(
  dialect: 'document' | 'strapi',
  { body }: Answer,
  ...[param, key, path, message, documentPath = pathOfKey(key, path)]: [
    ...recorded: Parameters<typeof invalidKey>,
    documentPath?: string | null,
  ]
): void {
  if (dialect === 'strapi') return expect(body).toEqual(invalidKey(param, key, path, message));
  const details = { key, path: documentPath, source: 'query', param };
  expect(body).toMatchObject({ data: null, error: { status: 400, name: 'ValidationError', details } });
  expect(body.error!.message).toMatch(/^Invalid (key|value) .+: ./);
  expect(body.error!.message).toContain(key);
}

/** The path of the attribute that a rejected key names, or that a rejected operator is applied to. */
export function pathOfKey(key: string, path: string | null): string | null {
  if (key.startsWith('$')) return path;
  return path === null ? key : path.split('.').at(-1) === key ? path : `${path}.${key}`;
}

/** A snapshot in memory with one content type, `thing`, readable by the public. */
export function thingSnapshot(
  attributes: Record<string, unknown>,
  entries: unknown[],
  rest: Record<string, unknown> = {},
): JsonSnapshot {
  return {
    contentTypes: [{ info: { singularName: 'thing', pluralName: 'things' }, attributes }],
    entries: { thing: entries },
    roles: [{ type: 'public', permissions: ['api::thing.thing.find', 'api::thing.thing.findOne'] }],
    ...rest,
  } as unknown as JsonSnapshot;
}
