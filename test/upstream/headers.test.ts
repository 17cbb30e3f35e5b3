import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { endToEndHeaders, forwardedHeaders, removeUnforwarded } from '../../src/server/upstream/headers.ts';

const peer = '10.0.0.1';
const everyone = () => true;
const nobody = () => false;

const requestWith = (headers: IncomingHttpHeaders) =>
  ({ headers, socket: { remoteAddress: peer } }) as unknown as IncomingMessage;

describe('the headers that describe a client', () => {
  const headers = {
    host: 'example.org',
    'x-forwarded-for': '1.2.3.4',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'www.example.org',
  };

  test('extend those of a trusted proxy', () => {
    expect(forwardedHeaders(requestWith(headers), 'strapi:1337', everyone)).toEqual({
      host: 'strapi:1337',
      'x-forwarded-for': `1.2.3.4, ${peer}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'www.example.org',
    });
  });

  test('replace those of any other client', () => {
    expect(forwardedHeaders(requestWith(headers), 'strapi:1337', nobody)).toEqual({
      host: 'strapi:1337',
      'x-forwarded-for': peer,
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'example.org',
    });
  });

  test('are complete without headers', () => {
    expect(forwardedHeaders(requestWith({}), 'strapi', everyone)).toEqual({
      host: 'strapi',
      'x-forwarded-for': peer,
      'x-forwarded-proto': 'http',
      'x-forwarded-host': '',
    });
  });
});

describe('what is not forwarded', () => {
  const left = (headers: IncomingHttpHeaders, trust = nobody, isUpgrade = false) => {
    const request = requestWith({ ...headers });
    removeUnforwarded(request, trust, isUpgrade);
    return Object.keys(request.headers);
  };

  test('is hop-by-hop, listed in Connection, or Expect', () => {
    const headers = { te: 'trailers', 'keep-alive': '1', 'x-hop': 'a', expect: '100-continue', accept: '*/*' };
    expect(left({ ...headers, connection: 'X-Hop, close' })).toEqual(['accept']);
  });

  test('is never framing or host, even if Connection lists them', () => {
    const framing = { host: 'a', 'content-length': '1', 'transfer-encoding': 'chunked' };
    expect(left({ ...framing, connection: 'Host, Content-Length, Transfer-Encoding' })).toEqual(Object.keys(framing));
  });

  test('is not the upgrade of an upgrade', () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    expect(left(headers)).toEqual([]);
    expect(left(headers, nobody, true)).toEqual(['connection', 'upgrade']);
  });

  test('describes the client and comes from an untrusted peer', () => {
    const headers = { forwarded: 'for=a', 'x-real-ip': 'a', 'x-forwarded-for': 'a', 'x-forwarded-port': '1' };
    expect(left(headers)).toEqual([]);
    expect(left(headers, everyone)).toEqual(Object.keys(headers));
  });
});

test('the end-to-end headers of a reply keep their case, order and repetitions', () => {
  const rawHeaders = ['Set-Cookie', 'a=1', 'Connection', 'x-hop', 'X-Hop', '1', 'set-cookie', 'b=2', 'TE', 'x'];
  const reply = { rawHeaders, headers: { connection: 'x-hop' } } as unknown as IncomingMessage;
  expect(endToEndHeaders(reply)).toEqual(['Set-Cookie', 'a=1', 'set-cookie', 'b=2']);
});
