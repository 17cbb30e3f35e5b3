import type { DestinationStream } from 'pino';

/** Keys of each line that say nothing to somebody at a terminal. */
const leftOut = new Set(['level', 'time', 'pid', 'msg', 'err']);

/** Prints log lines as text for people: the message, what else the line holds, and the stack of an error. */
export function textLines(print: (text: string) => void): DestinationStream {
  return { write: (line) => print(`${textOf(JSON.parse(line))}\n`) };
}

function textOf(line: Record<string, unknown>): string {
  const { level, msg, err } = line;
  const details = Object.entries(line).filter(([key]) => !leftOut.has(key));
  const shown = details.map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  return `${introduction(Number(level))}${msg ?? ''}${shown.join('')}${stack ? `\n${stack}` : ''}`;
}

function introduction(level: number): string {
  if (level >= 50) return 'lectern: ';
  return level >= 40 ? 'warning: ' : '';
}
