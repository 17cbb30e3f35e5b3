import type { Random } from '../../bench/random.ts';
import type { Findings } from './findings.ts';
import type { QueryParts } from './query-parts.ts';
import { type Exchange, exchange } from './raw-replies.ts';
import type { Target } from './targets.ts';

export interface AttackContext {
  readonly port: number;
  readonly target: Target;
  readonly parts: QueryParts;
  /** The seed of the round, which determines its requests. */
  readonly random: Random;
  readonly findings: Findings;
  /** Names the attack and the seed of the round. */
  readonly round: string;
  /** Time of `performance.now()` after which no request begins. */
  readonly deadline: number;
}

/** One round of bad traffic, bounded in requests and in time. */
export interface Attack {
  readonly name: string;
  run(context: AttackContext): Promise<void>;
}

/** Maximum time of a connection of an attack. */
export const longestMilliseconds = 15_000;

/** Sends bytes as `exchange` does and counts the replies. Resolves with their statuses. */
export async function send(
  { port, findings, round }: AttackContext,
  attack: string,
  sent: Pick<Exchange, 'bytes' | 'replies'> & { milliseconds?: number },
): Promise<number[]> {
  const asked = `${round}: ${JSON.stringify(String(sent.bytes)).slice(0, 500)}`;
  const statuses: number[] = [];
  await exchange({
    port,
    ...sent,
    milliseconds: sent.milliseconds ?? longestMilliseconds,
    found: (status, head) => {
      statuses.push(status);
      findings.reply(attack, status, head, asked);
    },
    broken: (message) => findings.fail('unreadable reply', `${asked}: ${message}`),
  });
  return statuses;
}

/** Runs `count` tasks, a few at a time, until the deadline. */
export async function several(
  { deadline }: AttackContext,

  count: number,
  atATime: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count && performance.now() < deadline) await task(next++);
  };
  await Promise.all(Array.from({ length: Math.min(count, atATime) }, work));
}
