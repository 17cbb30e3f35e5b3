import { setTimeout } from 'node:timers/promises';
import { SlowClients } from '../../traffic/slow-clients.ts';
import type { Attack } from '../attack.ts';

/** Clients that send one header per second without end, and clients that read one kilobyte per second. */
export const slowReaders: Attack = {
  name: 'slow clients',
  async run({ port, random, findings }) {
    const clients = new SlowClients(port, { writers: random.integer(10, 100), readers: random.integer(10, 60) });
    await setTimeout(random.integer(2, 15) * 1000);
    findings.count('slow clients', `${clients.open > 0 ? 'rounds' : 'rounds that were refused'}`);
    clients.end();
  },
};
