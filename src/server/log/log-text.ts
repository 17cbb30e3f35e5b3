import type { DestinationStream } from 'pino';

/** Keys that are not printed as details. */
const omittedKeys = new Set(['level', 'time', 'pid', 'msg', 'err']);

/** Prints log lines as plain text: the message, the other keys, and the stack of an error. */
export function textLines(print: (text: string) => void): DestinationStream {
  return { write: (line) => print(`${textOf(JSON.parse(line))}\n`) };
}

function textOf(line: Record<string, unknown>): string {
  const { level, msg, err } = line;
  const details = Object.entries(line).filter(([key]) => !omittedKeys.has(key));
  const shown = details.map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  return `${introduction(Number(level))}${msg ?? ''}${shown.join('')}${stack ? `\n${stack}` : ''}`;
}

function introduction(level: number): string {
  if (level >= 50) return 'lectern: ';
  return level >= 40 ? 'warning: ' : '';
}
