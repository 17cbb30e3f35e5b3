/** The publisher is killed at each step of a change, and started again with its journal. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdAppend } from '../append-trap.ts';
import type { Stage } from '../stage.ts';
import { few, type Row } from './row.ts';

/** Bytes of changes after which an image is due. */
const dueForImage = 9 * 2 ** 20;
/** Repetitions of a step that is hit by chance. */
const tries = 5;

async function restart({ publisher }: Stage): Promise<void> {
  await publisher.kill();
  await sleep(200);
  await publisher.start();
}

/** Resolves as soon as the condition holds, which is looked at as often as possible. */
async function until(isReached: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; !isReached(); await sleep(0)) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
  }
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const isImage = (name: string) => /^[0-9a-f]{64}\.lectern$/.test(name);

/** Makes an image due while no other change is made. Returns the images before. */
async function causeImage(stage: Stage): Promise<ReadonlySet<string>> {
  const { writer, images } = stage;
  await writer.stop();
  const before = new Set(filesIn(images).filter(isImage));
  // not awaited: the image may be written before the answer
  for (let sent = 0; sent < dueForImage; sent += dueForImage / 9) void writer.send(dueForImage / 9);
  return before;
}

const killedAtAppend = (when: 'before' | 'after', name: string): Row => ({
  name,
  options: few,
  async run(stage) {
    for (let i = 0; i < 2; i++) {
      await holdAppend(stage.publisher.proxy, when);
      await restart(stage);
      await stage.untilWritten(2);
    }
  },
});

export const publisherKilled: readonly Row[] = [
  killedAtAppend('before', 'publisher killed before the append'),
  killedAtAppend('after', 'publisher killed between append and journal'),
  {
    name: 'publisher killed between journal and serving',
    options: few,
    async run(stage) {
      const journal = stage.journalOf(stage.publisher);
      for (let i = 0; i < tries; i++) {
        const size = sizeOf(journal);
        await until(() => sizeOf(journal) > size, 'the journal grows');
        await restart(stage);
        await stage.untilWritten(2);
      }
    },
  },
  {
    name: 'publisher killed while an image is written',
    options: { ...few, fillers: 5000 },
    async run(stage) {
      await causeImage(stage);
      const made = stage.imagesMadeBy(stage.publisher);
      const isPart = (name: string) => name.endsWith('.lectern') && !isImage(name);
      await until(() => [stage.images, made].some((folder) => filesIn(folder).some(isPart)), 'an image is written');
      await restart(stage);
      stage.writer.begin();
      await stage.untilWritten(2);
    },
  },
  {
    name: 'publisher killed between image and head',
    options: { ...few, fillers: 5000 },
    async run(stage) {
      const before = await causeImage(stage);
      const isStored = () => filesIn(stage.images).some((name) => isImage(name) && !before.has(name));
      await until(isStored, 'an image is stored');
      await restart(stage);
      stage.writer.begin();
      await stage.untilWritten(2);
    },
  },
  {
    name: 'publisher killed before its first head',
    options: few,
    isBegun: false,
    async run(stage) {
      const { publisher, replicas } = stage;
      for (const each of replicas) each.spawn();
      const held = holdAppend(publisher.proxy, 'before');
      publisher.spawn();
      await held;
      await restart(stage);
      await Promise.all(replicas.map((each) => each.serves()));
      stage.beginReaders();
      stage.writer.begin();
      await stage.untilWritten(2);
    },
  },
  {
    name: 'publisher killed at random moments',
    options: few,
    async run(stage, { rounds, random }) {
      for (let i = 0; i < rounds; i++) {
        await sleep(random() * 400);
        await restart(stage);
        if (i % 3 === 0) await stage.untilWritten(1);
      }
    },
  },
];
