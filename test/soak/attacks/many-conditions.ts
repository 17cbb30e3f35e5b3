import { type Attack, send, several } from '../attack.ts';
import { needle } from '../query-parts.ts';
import { getRequest } from '../raw-replies.ts';

const name = 'hundreds of contains';
const longest = 16_000;

/** Hundreds of searches for a letter or two, in texts, dates and numbers, and words that match nearly everything. */
export const manyConditions: Attack = {
  name,
  async run(context) {
    const { random, parts } = context;
    await several(context, 60, 6, async () => {
      const route = parts.route(random);
      const operators = ['$contains', '$containsi', '$notContains', '$notContainsi', '$endsWith', '$startsWithi'];
      const conditions = Array.from({ length: random.pick([20, 100, 300, 499]) }, (_, i) => {
        const attribute = parts.path(route, random.pick([0, 0, 0, 1]), random).replaceAll('.', '][');
        return `filters[${i % 2 ? '$or' : '$and'}][${Math.floor(i / 2) % 100}][${attribute}][${random.pick(operators)}]=${needle(random)}`;
      });
      const search = `_q=_${needle(random)}_${needle(random)}_`;
      const query = random.next() < 0.3 ? search : conditions.join('&');
      const url = `/api/${route}?${query}`.slice(0, longest);
      await send(context, name, {
        bytes: getRequest(url.slice(0, url.length === longest ? url.lastIndexOf('&') : undefined)),
        replies: 1,
      });
    });
  },
};
