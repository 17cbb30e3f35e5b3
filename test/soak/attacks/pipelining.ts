import { type Attack, send, several } from '../attack.ts';
import { getRequest } from '../raw-replies.ts';

const name = 'pipelining';

/** Clients that pipeline hundreds of distinct requests before they read the first reply. */
export const pipelining: Attack = {
  name,
  async run(context) {
    const { random, parts } = context;
    await several(context, 16, 16, async () => {
      const count = random.pick([10, 100, 400]);
      const requests = Array.from({ length: count }, () => {
        const route = parts.route(random);
        const sort = parts.path(route, random.integer(0, 3), random);
        const filter = `filters[id][$ne]=${random.integer(0, 100_000)}`;
        const populate = random.pick(['', '', '&populate=*', '&pagination[pageSize]=100']);
        return getRequest(`/api/${route}?sort=${sort}&${filter}${populate}`);
      });
      await send(context, name, { bytes: requests.join(''), replies: count });
    });
  },
};
