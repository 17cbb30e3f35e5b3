// What the soak relies on to notice failures. The soak itself is a long run: npm run test:soak.
import { describe, expect, test, vi } from 'vitest';
import { Random } from '../../bench/random.ts';
import { type Content, open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openThings, start, stopServersAfterEach } from '../support/server.ts';
import { waitUntil } from '../support/wait.ts';
import { Findings } from './findings.ts';
import { QueryParts } from './query-parts.ts';
import { ReplyReader } from './raw-replies.ts';
import { type Target, targets } from './targets.ts';
import { Visitors } from './visitors.ts';

stopServersAfterEach();
vi.spyOn(console, 'error').mockImplementation(() => {});

const replies = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n',
  'HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n',
];

describe('replies on one connection', () => {
  test.each([1, 2, 7, 1000])('are separated when they arrive in chunks of %d bytes', (size) => {
    const statuses: number[] = [];
    const reader = new ReplyReader((status) => statuses.push(status));
    const bytes = Buffer.from(replies.join(''));
    for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
    expect(statuses).toEqual([200, 304, 400, 204, 503]);
    expect(reader.isBetweenReplies).toBe(true);
    reader.read(Buffer.from(replies[0].slice(0, -1)));
    expect(reader.isBetweenReplies).toBe(false);
  });

  test('are an error if they are not HTTP', () => {
    const reader = new ReplyReader(() => {});
    expect(() => reader.read(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toThrow('no reply begins with');
    expect(() => new ReplyReader(() => {}).read(Buffer.alloc(200_000))).toThrow('does not end');
  });
});

describe('a reply', () => {
  const failsWith = (status: number, head: string) => {
    const findings = new Findings();
    findings.reply('visitors', status, head, 'seed 1');
    return findings.hasFailed;
  };

  test('is a failure from status 500 on, except a 503 with Retry-After', () => {
    expect([200, 304, 400, 499].map((status) => failsWith(status, ''))).toEqual([false, false, false, false]);
    expect([500, 502, 503].map((status) => failsWith(status, ''))).toEqual([true, true, true]);
    expect(failsWith(503, 'HTTP/1.1 503 x\r\nRetry-After: 1')).toBe(false);
    expect(failsWith(500, 'HTTP/1.1 500 x\r\nRetry-After: 1')).toBe(true);
  });

  test('is counted, and the first failures of each kind are shown', () => {
    const findings = new Findings();
    for (let i = 0; i < 9; i++) findings.reply('visitors', 500, '', `seed ${i}`);
    expect(findings.failureCounts).toBe('9 × status of 500 or more');
    expect(findings.failures).toHaveLength(5);
    expect(findings.lines()).toEqual(['visitors: 9 × 500']);
  });
});

describe('visitors', () => {
  /** Ends when some replies have been compared. */
  const visit = async (reference: Content): Promise<Findings> => {
    const { port } = await start();
    const findings = new Findings();
    const target = { name: 'things', ordinary: [{ url: '/api/things?sort=title' }], callers: [] } as unknown as Target;
    const visitors = new Visitors(port, target, reference, findings, 1);
    await waitUntil(() => visitors.compared >= 20);
    await visitors.end();
    return findings;
  };

  test('find no difference in the replies of a server of the same content', async () => {
    const findings = await visit(await openThings());
    expect(findings.failures).toEqual([]);
    expect(findings.countOf('visitors', '200')).toBeGreaterThan(0);
  });

  test('find differences in the replies of a server of other content', async () => {
    const other = await open(thingSnapshot({ title: { type: 'text' } }, [{ documentId: 'a', title: 'Thing' }]));
    const findings = await visit(other);
    expect(findings.failures[0]).toMatch(
      /^ordinary reply: things, visitors of seed 1: \/api\/things\?.*: a wrong body/,
    );
  });
});

test.each(Object.entries(targets))(
  'paths drawn from the content of %s are answered, and equal for equal seeds',
  async (_, target) => {
    const { snapshot, settings, ordinary } = target();
    const content = await open(snapshot, settings as object);
    const parts = new QueryParts(content);
    const draw = (random: Random) => {
      const route = parts.route(random);
      return `/api/${route}?sort=${parts.path(route, random.integer(0, 4), random)}`;
    };
    const [random, again] = [new Random(3), new Random(3)];
    for (let i = 0; i < 10; i++) {
      const url = draw(random);
      expect(draw(again)).toBe(url);
      expect((await content.answer(url)).status, url).toBe(200);
    }
    expect(new Set(ordinary.map(({ url }) => url)).size).toBeGreaterThan(50);
  },
);
