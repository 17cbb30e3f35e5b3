import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { buildProgram } from '../../bench/program.ts';
import { Random } from '../../bench/random.ts';
import { attacks } from './attacks/index.ts';
import { Findings } from './findings.ts';
import { Health } from './health.ts';
import { Memory, memorySettings } from './memory.ts';
import { QueryParts } from './query-parts.ts';
import { ServerProcess } from './server-process.ts';
import { openReference, type Target, targets } from './targets.ts';
import { Visitors } from './visitors.ts';

/** Attacks that run at a time. */
const atATime = 2;
/** Maximum pause between two rounds of attacks. */
const restMilliseconds = 1000;
/** Maximum time of a round. */
const roundMilliseconds = 20_000;
const reportMilliseconds = 60_000;

/**
 * Attacks servers of the demo and of an export for so many milliseconds, half of the time each, beside ordinary
 * visitors. Returns a summary, and whether all went well.
 */
export async function soakUnderAttack(
  seed: number,
  milliseconds: number,
): Promise<{ summary: string; isRight: boolean }> {
  await buildProgram();
  const names = Object.keys(targets);
  const summaries: string[] = [];
  let isRight = true;
  for (const [index, name] of names.entries()) {
    const target = targets[name]();
    const findings = new Findings();
    summaries.push(...(await attackTarget(target, findings, seed + index * 1_000_000, milliseconds / names.length)));
    isRight &&= !findings.hasFailed;
  }
  return { summary: summaries.join('\n'), isRight };
}

async function attackTarget(target: Target, findings: Findings, seed: number, milliseconds: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-soak-'));
  const configFile = join(folder, 'lectern.json');
  writeFileSync(configFile, JSON.stringify({ ...target.settings, ...memorySettings, log: { format: 'json' } }));
  const reference = await openReference(target);
  const server = await ServerProcess.start(target.snapshot, configFile);
  const memory = new Memory(server);
  const underWay = new Set<string>();
  const health = new Health(server, () => [...underWay].join('; '));
  const visitors = new Visitors(server.port, target, reference, findings, seed);
  const until = performance.now() + milliseconds;
  const parts = new QueryParts(reference);
  let round = seed;

  const attackOn = async () => {
    while (performance.now() < until && !server.hasEnded) {
      const roundSeed = round++;
      // each attack once per cycle
      const attack = attacks[(roundSeed - seed) % attacks.length];
      const random = new Random(Math.imul(roundSeed, 0x9e3779b1));
      const name = `${target.name}, ${attack.name} of seed ${roundSeed}`;
      const deadline = Math.min(until, performance.now() + roundMilliseconds);
      underWay.add(name);
      await attack.run({ port: server.port, target, parts, random, findings, round: name, deadline });
      underWay.delete(name);
      await setTimeout(random.integer(0, restMilliseconds));
    }
  };
  const reporter = setInterval(
    () => console.log(`${target.name}, round ${round - seed}: ${memory.summary()}; ${health.summary()}`),
    reportMilliseconds,
  );
  await Promise.all(Array.from({ length: atATime }, attackOn));
  clearInterval(reporter);
  await visitors.end();
  health.end();
  memory.end();

  const pipelines = attacks.find(({ name }) => name === 'pipelining')!;
  const last = pipelines.run({
    port: server.port,
    target,
    parts,
    random: new Random(seed),
    // connections may be closed now
    findings: new Findings(),
    round: 'at the end',
    deadline: performance.now() + roundMilliseconds,
  });
  const stopped = await server.stop();
  await last;
  rmSync(folder, { recursive: true, force: true });

  const { name } = target;
  if (stopped === null) findings.fail('SIGTERM', `the server of ${name} did not end by itself, or before`);
  for (const line of server.errors) findings.fail('log', `${name}: ${line}`);
  if (memory.highest > memory.limit) findings.fail('memory', `${name}, ${memory.summary()}`);
  if (health.ownMisses > 0 || health.samples === 0) findings.fail('health', `${name}, ${health.summary()}`);
  if (visitors.compared === 0) findings.fail('comparison', `${name}: no reply was compared`);
  if (findings.countOf('visitors', '304') === 0) findings.fail('comparison', `${name}: no reload got a 304`);
  return [
    `${name}: ${findings.failureCounts}; seeds ${seed} to ${round - 1}, ${visitors.compared} replies compared`,
    ...[memory.summary(), health.summary(), ...health.worst(), ...findings.lines()].map((line) => `  ${line}`),
    `  ended ${stopped === null ? 'not by itself' : `${(stopped / 1000).toFixed(1)} s after SIGTERM`}`,
    ...findings.failures.map((text) => `  failed: ${text}`),
  ];
}
