import { type Attack, send, several } from '../attack.ts';
import { getRequest } from '../raw-replies.ts';

const name = 'long dotted sorts';
const longest = 16_000;

/** Sort keys through as many relations as fit into a URL, and as many as are allowed. */
export const dottedSorts: Attack = {
  name,
  async run(context) {
    const { random, parts } = context;
    await several(context, 60, 6, async () => {
      const route = parts.route(random);
      const hops = random.pick([15, 19, 20, 500, 2000]);
      const count = hops < 100 ? random.pick([1, 3, 10, 40]) : 1;
      const keys = Array.from({ length: count }, () => parts.path(route, hops, random));
      const param = random.pick(['sort', 'sort[0]', 'populate', 'fields']);
      const url = `/api/${route}?${param}=${keys}`.slice(0, longest);
      await send(context, name, { bytes: getRequest(url), replies: 1 });
    });
  },
};
