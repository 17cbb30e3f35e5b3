/** What a database server does while nobody edits, with Lectern following it and without. Reads /proc, so on Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that are measured. */
const measured = 20_000;
/** Milliseconds of processor time in one tick of /proc. */
const tick = 10;

/** Returns the part of one processor that a process and its children use, from 0 on. */
export async function idleLoad(pid: number): Promise<number> {
  const before = processorTime(pid);
  await sleep(measured);
  return (processorTime(pid) - before) / measured;
}

/** Returns the milliseconds that a process and its children have used, those that have ended included. */
function processorTime(pid: number): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => timesOf(Number(name)) ?? []);
  const own = processes.filter((one) => one.pid === pid || one.parent === pid);
  return own.reduce((total, one) => total + one.milliseconds + (one.pid === pid ? one.ofEnded : 0), 0);
}

interface Times {
  readonly pid: number;
  readonly parent: number;
  readonly milliseconds: number;
  /** That of children that have ended. */
  readonly ofEnded: number;
}

function timesOf(pid: number): Times | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // the name of the program is in parentheses and may hold spaces
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * tick;
    return { pid, parent: Number(fields[1]), milliseconds: ticks(11), ofEnded: ticks(13) };
  } catch {
    return null;
  }
}
