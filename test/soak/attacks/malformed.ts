import { bytesOf, RequestFuzz } from '../../fuzz/requests.ts';
import { type Attack, send, several } from '../attack.ts';
import { getRequest } from '../raw-replies.ts';

const name = 'malformed requests';

const host = 'Host: a\r\n';
const raw: readonly string[] = [
  'GET\r\n\r\n',
  '\r\n\r\n\r\n',
  '\u0000\u0001\u0002',
  'GET / HTTP/9.9\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  `GET / HTTP/1.1\r\n${host}Host: b\r\n\r\n`,
  `GET / HTTP/1.1\r\n${host}X : y\r\n\r\n`,
  `GET / HTTP/1.1\r\n${host}X: a\r\n folded\r\n\r\n`,
  `GET / HTTP/1.1\r\n${host}X: \u0000\r\n\r\n`,
  `GET /api/articles HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST /api/articles HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  `POST /api/articles HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
  `POST /api/articles HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
  `CONNECT a:80 HTTP/1.1\r\n${host}\r\n`,
  `GET /_health HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
  `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${host}\r\n`,
  `GET / HTTP/1.1\r\n${host}${'X: y\r\n'.repeat(3000)}\r\n`,
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001',
];

/** Requests that break the rules of HTTP, alone and behind a good one, and requests by grammar with broken bytes. */
export const malformed: Attack = {
  name,
  async run(context) {
    const { random, target } = context;
    const fuzz = new RequestFuzz(target.fuzzedSnapshot);
    const good = () =>
      getRequest('/api/articles?populate=*&pagination[pageSize]=50', [
        `Accept-Encoding: ${random.pick(['br', 'gzip', 'identity'])}`,
      ]);
    await several(context, 100, 8, async (index) => {
      const text = random.pick(raw);
      const behind = random.pick(['', '', good()]);
      const statuses = await send(context, name, { bytes: behind + text, milliseconds: 1000 });
      if (behind !== '' && [400, 408, 431].includes(statuses[0])) {
        const asked = JSON.stringify(behind + text).slice(0, 500);
        context.findings.fail('reply in the place of another', `${context.round}: ${statuses} to ${asked}`);
      }
      const request = fuzz.request(random.integer(1, 1_000_000_000) + index);
      if (request.method === 'HEAD') return;
      await send(context, name, { bytes: bytesOf(request), replies: 1, milliseconds: 5000 });
    });
  },
};
