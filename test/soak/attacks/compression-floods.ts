import { type Attack, send, several } from '../attack.ts';
import { getRequest } from '../raw-replies.ts';

const name = 'compression flood';
const clients = 256;

/** Clients that request distinct large compressed replies concurrently. Half of them disconnect early. */
export const compressionFloods: Attack = {
  name,
  async run(context) {
    const { random, parts } = context;
    await several(context, clients * 2, clients, async () => {
      const page = `pagination[pageSize]=100&filters[id][$gt]=${random.integer(0, 500)}&filters[id][$ne]=${random.integer(0, 100_000)}`;
      const coding = random.pick(['br', 'br', 'gzip', 'zstd', 'gzip, br', '*']);
      const bytes = getRequest(`/api/${parts.route(random)}?populate=*&${page}`, [`Accept-Encoding: ${coding}`]);
      const isAborted = random.next() < 0.5;
      await send(context, name, { bytes, replies: 1, milliseconds: isAborted ? random.integer(1, 200) : undefined });
    });
  },
};
