import { type Attack, send, several } from '../attack.ts';
import { getRequest } from '../raw-replies.ts';

const name = 'reloading clients';

/** Clients that revalidate the same few URLs repeatedly. */
export const reloading: Attack = {
  name,
  async run(context) {
    const { random, parts } = context;
    const urls = Array.from({ length: 5 }, () => `/api/${parts.route(random)}?populate=*&pagination[pageSize]=100`);
    await several(context, 32, 32, async () => {
      const coding = `Accept-Encoding: ${random.pick(['br', 'gzip', 'identity'])}`;
      const tags = [`If-None-Match: *`, `If-None-Match: "${random.integer(0, 1e9)}"`, 'If-None-Match: W/"a", "b"'];
      const requests = Array.from({ length: 40 }, () => getRequest(random.pick(urls), [coding, random.pick(tags)]));
      await send(context, name, { bytes: requests.join(''), replies: requests.length });
    });
  },
};
