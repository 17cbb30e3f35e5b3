/** Two publishers of one name, and many replicas that start together. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSnapshot } from '../content.ts';
import { few, type Row } from './row.ts';

/** Milliseconds in which both publishers get changes. */
const together = 5000;

export const severalServers: readonly Row[] = [
  {
    name: 'two publishers of one source',
    options: { ...few, publishers: 2 },
    async run(stage) {
      await sleep(together);
      const [one, other] = stage.publishers;
      for (const each of [one, other]) {
        await each.kill();
        await stage.untilWritten(3);
        await each.start();
      }
      if (stage.written.refused === 0) throw new Error('no change was refused: nothing was tested');
    },
  },
  {
    name: 'a publisher of another source',
    options: few,
    async run(stage) {
      const snapshot = writeSnapshot(join(stage.folder, 'other'), { label: 'another site' });
      const other = await stage.addPublisher(snapshot);
      other.spawn();
      const code = await other.ended();
      const message = other.lines.at(-1)?.msg ?? '';
      if (code === 0 || !/another source/.test(message)) throw new Error(`it ended with ${code}: ${message}`);
    },
  },
  {
    name: '8 replicas start at once',
    options: { replicas: 8, fillers: 5000 },
    isBegun: false,
    async run(stage) {
      const { publisher, replicas, writer } = stage;
      await publisher.start();
      writer.begin();
      await stage.untilWritten(5);
      await Promise.all(
        replicas.map(async (each) => {
          await each.start();
          stage.beginReaders([each]);
        }),
      );
      // and from their caches
      await stage.untilWritten(5);
      await stage.readers.stop();
      await Promise.all(replicas.map((each) => each.kill()));
      await Promise.all(
        replicas.map(async (each) => {
          await each.start();
          stage.beginReaders([each]);
        }),
      );
    },
  },
];
