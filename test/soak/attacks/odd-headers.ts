import { type Attack, send, several } from '../attack.ts';
import { getRequest } from '../raw-replies.ts';

const name = 'odd headers';

/** Authorization and Accept-Encoding headers that are long, broken or different each time. */
export const oddHeaders: Attack = {
  name,
  async run(context) {
    const { random, target } = context;
    const digits = (length: number) => Array.from({ length }, () => random.integer(0, 9)).join('');
    const encodings = (count: number) => Array.from({ length: count }, (_, i) => `c${i};q=0.${digits(3)}`).join(',');
    const headers: readonly (() => string)[] = [
      () => `Authorization: Bearer ${digits(20)}`,
      () => `Authorization: Bearer ${digits(30_000)}`,
      () => `Authorization: Bearer e30.${digits(50)}.${digits(43)}`,
      () => `Authorization: bearer  ${random.pick(target.callers).slice(7)} `,
      () => `Authorization: ${random.pick(target.callers)}\r\nAuthorization: Bearer x`,
      () => 'Authorization: Basic \u00ff\u00fe',
      () => `Accept-Encoding: ${encodings(2500)}`.slice(0, 30_000),
      () => `Accept-Encoding: ${encodings(5)}, br;q=${random.next()}`,
      () => `Accept-Encoding: br;q=0,gzip;q=0,identity;q=0,*;q=0.${digits(30)}`,
      () => `Accept-Encoding: ${',;q='.repeat(5000)}`,
      () => `If-None-Match: ${Array.from({ length: 1000 }, () => `"${digits(20)}"`).join(',')}`,
      () => `Strapi-Response-Format: v${digits(1)}`,
      () => `X-Forwarded-For: ${digits(3)}.1.1.1:${digits(5)}`,
    ];
    await several(context, 200, 8, async () => {
      const { url } = random.pick(target.ordinary);
      await send(context, name, {
        bytes: getRequest(encodeURI(url).replaceAll('%25', '%'), [random.pick(headers)()]),
        replies: 1,
      });
    });
  },
};
