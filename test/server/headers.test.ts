import cors from 'cors';
import express from 'express';
import helmet from 'helmet';
import { afterEach, describe, expect, test } from 'vitest';
import { configSchema } from '../../src/model/settings/config.ts';
import { StaticHeaders } from '../../src/server/requests/static-headers.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { start, stopServersAfterEach } from '../support/server.ts';

/** Security headers, CORS and methods. */

stopServersAfterEach();
afterEach(closeServers);

const path = '/api/things';
const mine = 'https://mine.example';

/** Headers that are specific to one reply. */
const ofOneReply = /^(content-|etag|cache-control|date|connection|keep-alive|x-lectern|vary|transfer-encoding)/;

function lasting(headers: object): object {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofOneReply.test(name)));
}

describe('security headers', () => {
  test("are helmet's, on content as on everything else", async () => {
    const port = await listen(
      express()
        .use(
          helmet({
            contentSecurityPolicy: false,
            xFrameOptions: { action: 'deny' },
            strictTransportSecurity: { includeSubDomains: false },
          }),
        )
        .use((_request, response) => void response.end()),
    );
    const all = (await askServer(port, '/')).headers;
    const sent = ['referrer-policy', 'strict-transport-security', 'x-content-type-options', 'x-frame-options'];
    const expected = Object.fromEntries(sent.map((name) => [name, all[name]]));
    expect(Object.values(expected)).not.toContain(undefined);

    const { port: own } = await start({ cors: { origins: [] } });
    for (const asked of [path, `${path}?sort=nothing`, '/nothing', '/_ready']) {
      expect(lasting((await askServer(own, asked)).headers), asked).toEqual(expected);
    }
    const page = (await askServer(own, '/')).headers;
    expect(lasting(page)).toMatchObject(expected);
    expect(page['content-security-policy']).toMatch(/^default-src 'none'/);
  });

  test('can be turned off', async () => {
    const { port } = await start({ securityHeaders: false, cors: { origins: [] } });
    for (const asked of [path, '/nothing']) expect(lasting((await askServer(port, asked)).headers)).toEqual({});
  });
});

describe('CORS', () => {
  test('allows every origin by default, without credentials', async () => {
    const { port } = await start();
    for (const asked of [path, `${path}?sort=nothing`, '/nothing']) {
      for (const headers of [{}, { Origin: mine }] as Record<string, string>[]) {
        const answered = (await askServer(port, asked, { headers })).headers;
        expect(answered['access-control-allow-origin']).toBe('*');
        expect(answered).not.toHaveProperty('access-control-allow-credentials');
        expect(answered.vary ?? '').not.toContain('Origin');
      }
    }
  });

  test('allows only the listed origins and sends Vary', async () => {
    const origins = ['https://other.example', mine];
    const { port } = await start({ cors: { origins, credentials: true, exposedHeaders: ['ETag'] } });
    for (const asked of [path, '/nothing']) {
      for (const [origin, allowed] of [
        [mine, mine],
        ['https://other.example', 'https://other.example'],
        [mine, mine],
        ['https://mine.example.evil.example', undefined],
        ['null', undefined],
      ] as const) {
        const { headers } = await askServer(port, asked, { headers: { Origin: origin } });
        expect(headers['access-control-allow-origin']).toBe(allowed);
        expect(headers.vary).toContain('Origin');
        if (allowed) expect(headers['access-control-allow-credentials']).toBe('true');
        if (allowed) expect(headers['access-control-expose-headers']).toBe('ETag');
      }
    }
  });

  test.each([[['*']], [[mine, 'https://other.example']]])(
    'has the headers of the cors middleware for %j',
    async (origins) => {
      const config = configSchema.parse({ securityHeaders: false, cors: { origins, exposedHeaders: ['ETag'] } });
      const around = new StaticHeaders(config);
      const origin = origins[0] === '*' ? '*' : origins;
      const port = await listen(
        express()
          .use(cors({ origin, exposedHeaders: ['ETag'] }))
          .use((request, response) => {
            const names = (response as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames();
            const set = names.filter((name) => name !== 'X-Powered-By').flatMap((name) => [name, response.get(name)]);
            response.json([set, around.of(request)]);
          }),
      );
      for (const headers of [{}, { Origin: mine }, { Origin: 'https://evil.example' }] as Record<string, string>[]) {
        const [set, listed] = (await askServer(port, '/', { headers })).json();
        expect(listed).toEqual(set);
      }
    },
  );

  test('answers a preflight with the methods and headers that clients use', async () => {
    const { port } = await start();
    const headers = { Origin: mine, 'Access-Control-Request-Method': 'GET' };
    for (const asked of [path, '/nothing']) {
      const answer = await askServer(port, asked, { method: 'OPTIONS', headers });
      expect([answer.status, answer.body.length]).toEqual([204, 0]);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-max-age': '31536000',
        allow: 'GET, HEAD, OPTIONS',
      });
    }
  });

  test.each([
    'Accept',
    'Authorization',
    'Cache-Control',
    'Content-Type',
    'If-None-Match',
    'Origin',
    'Strapi-Response-Format',
    'X-Lectern-At-Least',
    'X-Lectern-Explain',
    'X-Requested-With',
    'strapi-encode-source-maps',
  ])('a browser may send %s after its preflight', async (name) => {
    const { port } = await start();
    const asked = {
      Origin: mine,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': name.toLowerCase(),
    };
    const preflight = await askServer(port, path, { method: 'OPTIONS', headers: asked });
    const allowed = String(preflight.headers['access-control-allow-headers']).toLowerCase().split(',');
    expect(allowed).toContain(name.toLowerCase());
    expect(preflight.headers['access-control-allow-origin']).toBe('*');
    const values: Record<string, string> = { Authorization: 'Bearer all', Origin: mine, 'X-Lectern-At-Least': '0-0' };
    const value = values[name] ?? 'no-cache';
    const { status } = await askServer(port, path, { headers: { Origin: mine, [name]: value } });
    expect(status).toBe(200);
  });

  test('can be turned off', async () => {
    const { port } = await start({ cors: { origins: [] } });
    const { headers } = await askServer(port, path, { headers: { Origin: mine } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test.each<[object, string]>([
    [{ origins: ['*'], credentials: true }, 'must be false if origins contains *'],
    [{ credentials: true }, 'must be false if origins contains *'],
    [{ origins: ['https://mine.example/'] }, 'without a path'],
    [{ origins: ['mine.example'] }, 'must be * or an origin'],
    [{ exposedHeaders: ['a\r\nb'] }, 'must be a header name'],
  ])('rejects the settings %j', (given, message) => {
    expect(() => configSchema.parse({ cors: given })).toThrow(message);
  });
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
  '%s is a 405 that names the server as read-only',
  async (method) => {
    const { port } = await start();
    for (const asked of [path, '/', '/_metrics', '/nothing']) {
      const answer = await askServer(port, asked, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.json().error.message).toBe(`Method ${method} is not allowed: this service only reads`);
    }
  },
);
