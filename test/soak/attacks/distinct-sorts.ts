import { type Attack, send, several } from '../attack.ts';
import { getRequest } from '../raw-replies.ts';

const name = 'distinct sorts';

/** Expensive distinct sorts, at every position of the result. */
export const distinctSorts: Attack = {
  name,
  async run(context) {
    const { random, parts } = context;
    await several(context, 150, 8, async () => {
      const route = parts.route(random);
      const keys = Array.from({ length: random.integer(3, 6) }, () => {
        const path = parts.path(route, random.integer(0, 3), random);
        return `${path}:${random.pick(['asc', 'desc'])}`;
      });
      const from = `pagination[start]=${random.integer(0, 500)}&filters[id][$gt]=${random.integer(0, 100_000)}`;
      await send(context, name, { bytes: getRequest(`/api/${route}?sort=${keys}&${from}`), replies: 1 });
    });
  },
};
