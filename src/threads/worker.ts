/** The code of a thread that answers requests. It attaches the store that the coordinating thread has loaded. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { Content } from '../content.ts';
import { loadExtension } from '../extend/load.ts';
import { codecs } from '../http/codec-pool.ts';
import { attachSnapshot } from '../load/described-snapshot.ts';
import type { Unpack } from '../media/open-uploads.ts';
import { keepTick } from '../server/kept-tick.ts';
import { createLog } from '../server/log.ts';
import { logProcessWarnings } from '../server/process-events.ts';
import { LecternServer } from '../server/server.ts';
import type { CoordinatorFunctions, ThreadFunctions, ThreadStart } from './messages.ts';
import { countReplaced } from './replaced-memory.ts';
import { RemoteUnpacking } from './unpacked-uploads.ts';

const { number, threads, config, counters } = workerData as ThreadStart;

keepTick();
codecs.divide(threads);

let content: Content | null = null;
/** The last call of `serve`. Each waits for the one before. */
let served = Promise.resolve();

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
  serve(snapshot) {
    served = served.then(async () => {
      const started = performance.now();
      const loaded = attachSnapshot(snapshot);
      if (content) {
        if (content.replace(loaded)) countReplaced(snapshot);
        return;
      }
      const extension = config.extend === undefined ? null : await loadExtension(config.extend);
      const unpack: Unpack = (archive) => new RemoteUnpacking(archive, coordinator);
      content = new Content(loaded, config, started, { extension, unpack });
      server.serve(content);
    });
    return served;
  },
  samples: () => server.samples(),
  stop: () => server.stop(),
};

const coordinator = createBirpc<CoordinatorFunctions, ThreadFunctions>(functions, {
  post: (message) => parentPort!.postMessage(message),
  on: (receive) => parentPort!.on('message', receive),
  eventNames: ['log'],
  timeout: -1,
});

const log = createLog(config.log, { write: (line) => void coordinator.log(line) }).child({ thread: number });
logProcessWarnings(log);

const server = new LecternServer(config, log, {
  kind: 'thread',
  counters,
  operations: {
    readiness: () => coordinator.readiness(),
    metrics: config.metrics ? () => coordinator.metrics() : null,
  },
});
