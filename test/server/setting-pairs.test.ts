import { Agent } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { type Config, configSchema } from '../../src/model/settings/config.ts';
import { serverFields } from '../../src/model/settings/server.ts';
import { caseCount } from '../support/cases.ts';
import { type AskOptions, askServer, type HttpAnswer } from '../support/http.ts';
import { pairwise } from '../support/pairs.ts';
import { openThings, type RunningServer, start, startEmpty, stopServersAfterEach } from '../support/server.ts';

/**
 * Checks every guarantee about headers with every pair of values of two server settings: none may depend on
 * other settings.
 */

const listed = 'https://mine.example';
const stranger = 'https://stranger.example';
const origins = [listed, 'https://other.example'];

/** The values of each setting that affect headers. `undefined` means the default. */
const choices = {
  prefix: ['/api', '', '/content/v1'],
  cors: [
    undefined,
    { origins: [] },
    { origins },
    { origins, credentials: true, exposedHeaders: ['ETag', 'X-Lectern-Snapshot'], maxAge: 60 },
    { exposedHeaders: ['ETag'] },
  ],
  securityHeaders: [true, false],
  rateLimit: [undefined, { requests: 100_000 }, { requests: 100_000, tokenRequests: 200_000, seconds: 5 }],
  compression: [true, false],
  cacheBytes: [undefined, 0],
  cacheControl: [
    [],
    [{ value: 'public, max-age=60, stale-while-revalidate=600' }, { role: 'token', value: 'private, max-age=5' }],
    [{ type: 'api::thing.thing', value: 'no-store' }],
  ],
  trustProxy: [undefined, ['loopback']],
  metrics: [true, false],
  log: [undefined, { requests: true }, { slowMilliseconds: 0 }],
  adminPort: [undefined, 0],
  dialect: ['document', 'strapi'],
  responseFormat: [undefined, 'v4'],
  connections: [undefined, { requests: 1000, headerBytes: 16_384, unsentBytes: 1 }],
  timeouts: [undefined, { keepAlive: 65_000 }],
};

type Headers = Record<string, string>;

/** The request headers that a reply may depend on, with the values that may affect it. */
const asked: Headers[] = pairwise({
  Origin: [undefined, listed, stranger],
  'Accept-Encoding': [undefined, 'br', 'gzip'],
  Authorization: [undefined, 'Bearer all', 'Bearer guessed'],
  'Strapi-Response-Format': [undefined, 'v4'],
}).map((headers) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Headers);

const security: Headers = {
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The guarantees about headers of every reply on the main port. The home page always has `nosniff`. */
function expectAround(config: Config, { Origin: origin }: Headers, { headers }: HttpAnswer): void {
  const isHome = headers['content-security-policy'] !== undefined;
  for (const [name, value] of Object.entries(security)) {
    if (isHome && name === 'x-content-type-options') continue;
    expect(headers[name], name).toBe(config.securityHeaders ? value : undefined);
  }
  const { cors } = config;
  const isListed = origin !== undefined && cors.origins.includes(origin);
  const allowed = cors.origins.includes('*') ? '*' : isListed ? origin : undefined;
  expect(headers['access-control-allow-origin']).toBe(allowed);
  expect(headers['access-control-allow-credentials']).toBe(cors.credentials ? 'true' : undefined);
  const exposed = cors.origins.length > 0 && cors.exposedHeaders.length > 0 ? cors.exposedHeaders.join(',') : undefined;
  expect(headers['access-control-expose-headers']).toBe(exposed);
  const dependsOnOrigin = cors.origins.length > 0 && !cors.origins.includes('*');
  expect(varyOf(headers.vary).includes('origin')).toBe(dependsOnOrigin);
}

function varyOf(header: string | undefined): string[] {
  const names = (header ?? '').toLowerCase().split(/\s*,\s*/);
  expect(new Set(names).size, `Vary: ${header}`).toBe(names.length);
  return names;
}

/** A cache that honours Vary may reuse a reply for another request only if both replies are equal. */
function expectCacheable(answers: readonly [Headers, HttpAnswer][]): void {
  const seen = answers.map(([asked, { status, headers, body }]) => {
    const { 'content-encoding': coding, 'access-control-allow-origin': origin } = headers;
    return { asked, vary: varyOf(headers.vary), reply: `${status} ${coding} ${origin} ${body.toString('latin1')}` };
  });
  const confused = seen.flatMap((one) =>
    seen
      .filter(({ reply }) => reply !== one.reply)
      .filter(({ asked }) => {
        const different = Object.keys({ ...asked, ...one.asked }).filter((name) => asked[name] !== one.asked[name]);
        return !different.some((name) => one.vary.includes(name.toLowerCase()));
      })
      .map(({ asked }) => [one.asked, asked]),
  );
  expect(confused).toEqual([]);
}

function plainBody({ headers, body }: HttpAnswer): string {
  const coding = headers['content-encoding'];
  if (coding === 'br') return brotliDecompressSync(body).toString();
  return (coding === 'gzip' ? gunzipSync(body) : body).toString();
}

function cacheControlOf(config: Config, authorization: string | undefined): string {
  const role = authorization === undefined ? 'public' : 'token';
  const rule = config.cacheControl.find((each) => each.role === role);
  const scope = role === 'public' ? 'public' : 'private';
  return rule?.value ?? `${scope}, max-age=0, must-revalidate`;
}

/** Headers that differ from reply to reply. */
const counting = /^(date|ratelimit|retry-after)/;
const lasting = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !counting.test(name)));

stopServersAfterEach();

const agent = new Agent({ keepAlive: true });
const ask = (port: number, path: string, options: AskOptions = {}) => askServer(port, path, { ...options, agent });
afterEach(() => agent.destroy());

/** Combinations that cover every pair, or every second of them unless all cases run. */
const combinations = pairwise(choices).filter((_, i) => i % caseCount(1, 2) === 0);

describe.each(combinations.map((combination) => [JSON.stringify(combination), combination] as const))(
  'with %s',
  (_, combination) => {
    const settings = JSON.parse(JSON.stringify(combination));
    const config = configSchema.parse(settings);
    const list = `${config.prefix}/things?sort=id&pagination[pageSize]=60`;
    const all = (path: string, { port }: RunningServer) =>
      Promise.all(asked.map(async (headers) => [headers, await ask(port, path, { headers })] as [Headers, HttpAnswer]));
    let opened: Promise<Content> | undefined;
    const serve = async () => {
      const isOption = (key: string) => key !== 'tokens' && !(key in serverFields);
      const options = Object.fromEntries(Object.entries(config).filter(([key]) => isOption(key)));
      const content = await (opened ??= openThings(options));
      return { content, running: await start(settings, content) };
    };

    test('content has correct headers', async () => {
      const { content, running } = await serve();
      // the second reply comes from the cache, if there is one
      for (let turn = 0; turn < 2; turn++) {
        const answers = await all(list, running);
        expectCacheable(answers);
        for (const [headers, answer] of answers) {
          expectAround(config, headers, answer);
          const names = varyOf(answer.headers.vary);
          expect(names).toEqual(expect.arrayContaining(['authorization', 'accept-encoding', 'strapi-response-format']));
          expect(answer.headers.ratelimit === undefined).toBe(config.rateLimit === undefined);
          if (headers.Authorization === 'Bearer guessed') {
            expect([answer.status, answer.headers['cache-control']]).toEqual([401, 'no-store']);
            continue;
          }
          expect(answer.status).toBe(200);
          const [first] = JSON.parse(plainBody(answer)).data;
          const isNested = (headers['Strapi-Response-Format'] ?? config.responseFormat) === 'v4';
          expect('attributes' in first).toBe(isNested);
          expect(answer.headers['content-encoding']).toBe(config.compression ? headers['Accept-Encoding'] : undefined);
          expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
          expect(answer.headers['content-length']).toBe(String(answer.body.length));
          expect(answer.headers['cache-control']).toBe(cacheControlOf(config, headers.Authorization));
          expect(answer.headers['x-lectern-snapshot']).toBe(content.summary.version);
          expect(answer.headers.etag).toMatch(/^"[\w-]+"$/);

          const head = await ask(running.port, list, { method: 'HEAD', headers });
          expect([head.status, head.body.length]).toEqual([200, 0]);
          expect(lasting(head.headers)).toEqual(lasting(answer.headers));

          const known = { ...headers, 'If-None-Match': answer.headers.etag! };
          const same = await ask(running.port, list, { headers: known });
          expect([same.status, same.body.length]).toEqual([304, 0]);
          const ofBody = /^content-(type|length|encoding)$/;
          const kept = Object.entries(lasting(answer.headers)).filter(([name]) => !ofBody.test(name));
          expect(lasting(same.headers)).toEqual(Object.fromEntries(kept));
        }
        const etags = new Map(
          answers
            .filter(([, { status }]) => status === 200)
            .map(([, answer]) => [`${answer.headers['content-encoding']} ${plainBody(answer)}`, answer.headers.etag]),
        );
        expect(new Set(etags.values()).size).toBe(etags.size);
      }
    });

    test('errors, small replies and other paths have correct headers', async () => {
      const { running } = await serve();
      const { port, adminPort } = running;
      const expected: [string, number][] = [
        [`${config.prefix}/things/thing-1`, 200],
        [`${config.prefix}/things?sort=nope`, 400],
        [`${config.prefix}/things/none`, 404],
        [`${config.prefix}/nothing`, 404],
        ['/elsewhere/x', 404],
        ['/', 200],
        ['/_health', 204],
        ['/_ready', config.adminPort === undefined ? 200 : 404],
        ['/_metrics', config.adminPort === undefined && config.metrics ? 200 : 404],
      ];
      for (const [path, status] of expected) {
        const answers = await all(path, running);
        if (!path.startsWith('/_')) expectCacheable(answers);
        for (const [headers, answer] of answers) {
          expectAround(config, headers, answer);
          if (answer.status !== 401) expect([path, answer.status]).toEqual([path, status]);
          expect(answer.headers).not.toHaveProperty('content-encoding');
          if (answer.status < 400) continue;
          expect(answer.headers).not.toHaveProperty('etag');
          expect(answer.headers).not.toHaveProperty('x-lectern-snapshot');
          expect(answer.headers['cache-control']).toBe('no-store');
          expect(answer.json().error.status).toBe(answer.status);
        }
      }
      for (const path of [list, '/', '/elsewhere', '/_health']) {
        const refused = await ask(port, path, { method: 'POST', headers: { Origin: listed } });
        expectAround(config, { Origin: listed }, refused);
        expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
        expect(refused.headers['cache-control']).toBe('no-store');
      }
      if (config.adminPort === undefined) return;
      for (const [path, status] of [
        ['/_ready', 200],
        ['/_metrics', config.metrics ? 200 : 404],
        [list, 404],
      ] as const) {
        expect((await ask(adminPort, path)).status).toBe(status);
      }
    });

    test('preflights have correct headers', async () => {
      const { running } = await serve();
      const { origins: allowed, maxAge } = config.cors;
      for (const path of [list, '/', '/elsewhere']) {
        for (const origin of [listed, stranger]) {
          const headers = { Origin: origin, 'Access-Control-Request-Method': 'GET' };
          const answer = await ask(running.port, path, { method: 'OPTIONS', headers });
          expectAround(config, headers, answer);
          expect([answer.status, answer.body.length, answer.headers.allow]).toEqual([204, 0, 'GET, HEAD, OPTIONS']);
          if (allowed.length === 0) {
            expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
            continue;
          }
          expect(answer.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS');
          expect(answer.headers['access-control-max-age']).toBe(String(maxAge));
          const names = answer.headers['access-control-allow-headers']!;
          for (const name of Object.keys(asked.at(-1)!)) {
            if (!['Origin', 'Accept-Encoding'].includes(name)) expect(names).toContain(name);
          }
        }
      }
    });

    test('rate-limited replies and replies before loading have correct headers', async () => {
      const limited = { ...settings, rateLimit: { requests: 1 } };
      const { port } = await start(limited, (await serve()).content);
      await ask(port, list);
      const headers = { Origin: listed };
      const refused = await ask(port, list, { headers });
      expectAround(config, headers, refused);
      expect([refused.status, refused.headers['cache-control']]).toEqual([429, 'no-store']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);

      const empty = await startEmpty(settings);
      for (const path of [list, '/']) {
        const early = await ask(empty.port, path, { headers });
        expectAround(config, headers, early);
        expect([early.status, early.headers['cache-control']]).toEqual([503, 'no-store']);
      }
    });
  },
);
