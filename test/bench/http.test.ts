import type { RequestListener } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { answerOf } from '../../bench/http/answers.ts';
import { loadAtFixedRate } from '../../bench/http/fixed-rate.ts';
import { closeServers, listen } from '../support/http.ts';

afterEach(closeServers);

const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(listener)}`;

describe('a load at a fixed rate', () => {
  const task = { client: 'fixed rate' as const, paths: ['/a', '/b', '/c'], first: 1, seconds: 0.2, rate: 200 };

  test('requests the paths in turn, with the headers', async () => {
    const requested: string[] = [];
    const origin = await serve(({ url, headers }, response) => {
      requested.push(`${url} ${headers.accept}`);
      response.end('{}');
    });
    const result = await loadAtFixedRate({ ...task, origin, headers: { Accept: 'text/plain' } });
    // connections may overtake one another, so that only the numbers of requests are certain
    const paths = Array.from(requested, (_, index) => ['/b', '/c', '/a'][index % 3]);
    expect(requested.sort()).toEqual(paths.map((path) => `${path} text/plain`).sort());
    expect(result).toMatchObject({ requests: requested.length, errors: 0, unanswered: 0, bytesPerReply: 2 });
  });

  test('counts the delay of every request that is due while the server stalls', async () => {
    let isFirst = true;
    const origin = await serve((_request, response) => {
      if (isFirst) for (const start = performance.now(); performance.now() - start < 200; );
      isFirst = false;
      response.end('{}');
    });
    // the server runs in this process, so a stall also delays sending; the latencies must include it
    const { p50, requests } = await loadAtFixedRate({ ...task, origin });
    expect(requests).toBeGreaterThan(10);
    expect(p50).toBeGreaterThan(40);
  });

  test('counts replies with an error status', async () => {
    const origin = await serve((_request, response) => response.writeHead(503).end());
    const { errors, requests } = await loadAtFixedRate({ ...task, origin });
    expect(errors).toBe(requests);
  });
});

test('an answer has the decoded body of exactly the given path', async () => {
  const origin = await serve(({ url }, response) => {
    response.setHeader('Content-Encoding', 'br');
    response.end(brotliCompressSync(`the body of ${url}`));
  });
  const answer = await answerOf(origin, "/api?filters[a]='b'");
  expect(answer).toMatchObject({ status: 200, coding: 'br', text: "the body of /api?filters[a]='b'" });
});
