/** The code of a thread that answers requests. It attaches the stores that the coordinating thread has loaded. */
import { workerData } from 'node:worker_threads';
import { callParent } from '../../core/threads.ts';
import { codecs } from '../../http/codec-pool.ts';
import { createLog } from '../log/log.ts';
import { logProcessWarnings } from '../log/process-events.ts';
import { keepTick } from '../node-internals.ts';
import { LecternServer } from '../server.ts';
import { DescribedContents } from './described-contents.ts';
import type { CoordinatorFunctions, ThreadFunctions, ThreadStart } from './messages.ts';
import { RemoteUnpacking } from './unpacked-uploads.ts';

const { number, threads, config, counters, areChosen } = workerData as ThreadStart;

keepTick();
codecs.divide(threads);

const contents = new DescribedContents({
  config,
  unpack: (archive) => new RemoteUnpacking(archive, coordinator),
  serve: (contents) => server.serveContents({ contents, areChosen, stored: null, live: null }),
});

const functions: ThreadFunctions = {
  async listen(port) {
    try {
      await server.listen(port);
    } catch (error) {
      return { problem: (error as Error).message };
    }
    const { address } = server;
    return { address, port: Number(new URL(address).port) };
  },
  changeContents: (changes) => contents.change(changes),
  samples: () => server.samples(),
  stop: () => server.stop(),
};

const coordinator = callParent<CoordinatorFunctions, ThreadFunctions>(functions, ['log']);

const log = createLog(config.log, { write: (line) => void coordinator.log(line) }).child({ thread: number });
logProcessWarnings(log);

const server = new LecternServer(config, log, {
  kind: 'thread',
  counters,
  openTicket: (digest, entry) => coordinator.openTicket(digest, entry),
  operations: {
    readiness: () => coordinator.readiness(),
    freshness: (content) => coordinator.freshness(content),
    metrics: config.metrics ? () => coordinator.metrics() : null,
  },
});
