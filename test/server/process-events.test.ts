import { afterEach, expect, test, vi } from 'vitest';
import { createLog, textLines } from '../../src/server/log/log.ts';
import { logProcessEvents } from '../../src/server/log/process-events.ts';

/** Events that Node would print itself are logged; the text format of the log. */

const events = ['warning', 'uncaughtException'] as const;
const before = events.map((event) => process.rawListeners(event));

afterEach(() => {
  vi.restoreAllMocks();
  for (const [index, event] of events.entries()) {
    process.removeAllListeners(event);
    for (const listener of before[index]) process.on(event, listener as () => void);
  }
});

function collect() {
  const lines: Record<string, any>[] = [];
  const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { lines, log };
}

test("Node's warnings and exceptions that nobody caught are lines of the log", () => {
  const { lines, log } = collect();
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  logProcessEvents(log);
  process.emit('warning', Object.assign(new Error('old'), { name: 'DeprecationWarning', code: 'DEP0001' }));
  process.listeners('uncaughtException').at(-1)!(new Error('a mistake'), 'uncaughtException');
  expect(lines[0]).toMatchObject({ level: 40, name: 'DeprecationWarning', code: 'DEP0001', msg: 'old' });
  expect(lines[1]).toMatchObject({ level: 60, origin: 'uncaughtException', err: { message: 'a mistake' } });
  expect(lines[1].msg).toBe('the server exits after an unexpected error: a mistake');
  expect(exit).toHaveBeenCalledWith(1);
});

test('the text log has message, details and stack, and a level only for unusual events', () => {
  let text = '';
  const log = createLog(
    { level: 'debug', format: 'text' },
    textLines((part) => void (text += part)),
  );
  log.info({ method: 'GET', status: 200 }, 'request');
  log.warn('one entry is left out');
  log.fatal('port 1 is in use');
  log.error({ err: new Error('a mistake') }, 'failed');
  const [first, second, third, ...rest] = text.split('\n');
  expect(first).toBe('request method=GET status=200');
  expect(second).toBe('warning: one entry is left out');
  expect(third).toBe('lectern: port 1 is in use');
  expect(rest.join('\n')).toMatch(/^lectern: failed\nError: a mistake\n {4}at /);
});
