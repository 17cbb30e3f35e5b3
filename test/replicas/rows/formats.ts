/** Publishers of later versions beside replicas of this one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { keysOf } from '../../../src/publication/redis/keys.ts';
import { publicationName, type Stage, versionOf } from '../stage.ts';
import { few, type Row } from './row.ts';

const { head, log, wake } = keysOf(publicationName);

type Entry = [id: string, fields: string[]];

async function headOf({ redis }: Stage): Promise<Record<string, string>> {
  const fields = (await redis.send('HGETALL', head)) as string[];
  return Object.fromEntries(fields.flatMap((name, i) => (i % 2 === 0 ? [[name, fields[i + 1]]] : [])));
}

const fieldsOf = (record: Readonly<Record<string, string>>) => Object.entries(record).flat();

/** Waits until all replicas have warned, or throws. */
async function untilWarned({ replicas }: Stage, pattern: RegExp): Promise<void> {
  for (const end = Date.now() + 20_000; !replicas.every((each) => each.hasWarned(pattern)); await sleep(50)) {
    if (Date.now() > end) throw new Error(`no warning like ${pattern}: ${replicas[0].lines.at(-1)?.msg}`);
  }
}

/** Stops the changes, and waits until all replicas have them. */
async function settle(stage: Stage): Promise<string> {
  await stage.writer.stop();
  const expected = await versionOf(stage.publisher);
  for (const end = Date.now() + 5000; ; await sleep(50)) {
    const versions = await Promise.all(stage.replicas.map(versionOf));
    if (versions.every((each) => each === expected)) return expected;
    if (Date.now() > end) throw new Error(`replicas serve ${versions.join(', ')}, the publisher ${expected}`);
  }
}

export const formats: readonly Row[] = [
  {
    name: 'a publisher with a later format',
    options: few,
    async run(stage) {
      const { redis, replicas } = stage;
      const served = await settle(stage);
      const before = await headOf(stage);
      const sequence = String(Number(before.sequence) + 1);
      const next = { ...before, format: '2', sequence, digest: 'later' };
      const id = `${before.epoch}-${sequence}`;
      await redis.sendTogether([
        ['XADD', log, id, 'format', '2', 'before', before.digest, 'after', next.digest, 'changes', '{}'],
        ['XADD', wake, 'MAXLEN', '=', '1', '*', 'head', id],
        ['HSET', head, ...fieldsOf(next)],
      ]);
      await untilWarned(stage, /format/);
      await sleep(1000);
      for (const each of replicas) {
        const version = await versionOf(each);
        if (version !== served) throw new Error(`${each.name} serves ${version} in place of ${served}`);
      }
      await redis.sendTogether([
        ['XDEL', log, id],
        ['XSETID', log, served],
        ['HSET', head, ...fieldsOf(before)],
      ]);
      stage.writer.begin();
    },
  },
  {
    name: 'a publisher with fields that replicas do not know',
    options: few,
    async run(stage) {
      const { redis, replicas, writer } = stage;
      for (const each of replicas) each.proxy.cut();
      await stage.untilWritten(10);
      await writer.stop();
      const entries = (await redis.send('XRANGE', log, '-', '+')) as Entry[];
      const fields = await headOf(stage);
      const json = JSON.stringify({ ...JSON.parse(fields.json), later: { more: true } });
      await redis.sendTogether([
        ['DEL', log],
        ...entries.map(([id, values]) => ['XADD', log, id, ...values, 'later', 'more']),
        ['HSET', head, 'json', json, 'later', 'more'],
      ]);
      for (const each of replicas) each.proxy.mend();
      await settle(stage);
      const late = await stage.addReplica();
      await late.start();
      stage.beginReaders([late]);
      const problem = stage.replicas.flatMap(({ lines }) => lines).find(({ level }) => level >= 50);
      if (problem) throw new Error(problem.msg);
      writer.begin();
    },
  },
];
