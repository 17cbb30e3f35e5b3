/** Connections between a server and the Redis are refused, silent, slow, or end at any byte. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { dropAfter } from '../append-trap.ts';
import type { Server } from '../server.ts';
import type { Stage } from '../stage.ts';
import { few, type Row, type RowTimes } from './row.ts';

/** Milliseconds by which each packet is late. */
const slow = 50;
/** Bytes between two ends of a connection, at most: several changes. */
const mostBytes = 6000;

type Chosen = (stage: Stage) => readonly Server[];

const replicas: Chosen = (stage) => stage.replicas;
const oneReplica: Chosen = (stage) => stage.replicas.slice(0, 1);
const publisher: Chosen = (stage) => [stage.publisher];
const all: Chosen = (stage) => [...stage.publishers, ...stage.replicas];

async function refused(proxies: readonly TcpProxy[], milliseconds: number): Promise<void> {
  await Promise.all(proxies.map((each) => each.refuse()));
  await sleep(milliseconds);
  await Promise.all(proxies.map((each) => each.accept()));
}

async function silent(proxies: readonly TcpProxy[], milliseconds: number): Promise<void> {
  for (const each of proxies) each.cut();
  await sleep(milliseconds);
  for (const each of proxies) each.mend();
}

async function slowed(proxies: readonly TcpProxy[], milliseconds: number): Promise<void> {
  for (const each of proxies) each.delay = slow;
  await sleep(milliseconds);
  for (const each of proxies) each.delay = 0;
}

async function endedAnywhere(proxies: readonly TcpProxy[], { rounds, random }: RowTimes): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    for (const each of proxies) {
      // a server without a connection sends nothing for a while
      await Promise.race([dropAfter(each, Math.floor(random() * mostBytes)), sleep(1000)]);
      each.inspect = null;
    }
  }
}

const row = (
  name: string,
  chosen: Chosen,
  fail: (proxies: readonly TcpProxy[], times: RowTimes) => Promise<void>,
): Row => ({
  name,
  options: few,
  run: (stage, times) =>
    fail(
      chosen(stage).map(({ proxy }) => proxy),
      times,
    ),
});

export const networkFails: readonly Row[] = [
  row('connection of a replica refused for 3 s', oneReplica, (proxies) => refused(proxies, 3000)),
  row('connections of replicas refused for 15 s', replicas, (proxies) => refused(proxies, 15_000)),
  row('connections of replicas silent for 12 s', replicas, (proxies) => silent(proxies, 12_000)),
  row('connection of the publisher refused for 3 s', publisher, (proxies) => refused(proxies, 3000)),
  row('connection of the publisher silent for 8 s', publisher, (proxies) => silent(proxies, 8000)),
  row('all connections silent for 20 s', all, (proxies) => silent(proxies, 20_000)),
  row('all packets 50 ms late', all, (proxies) => slowed(proxies, 8000)),
  row('connection of the publisher ends at any byte', publisher, endedAnywhere),
  row('connections of replicas end at any byte', replicas, endedAnywhere),
];
