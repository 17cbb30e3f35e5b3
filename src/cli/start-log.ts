import type { Logger } from 'pino';
import { createLog } from '../server/log/log.ts';

/** Creates the log of a failed start. People read it, so it is text unless the settings ask for JSON. */
export function createStartLog(format = givenFormat(process.env)): Logger {
  return createLog({ level: 'info', format: format === 'json' ? 'json' : 'text' });
}

/** Logs a mistake in the command line. */
export function writeUsageError(text: string): void {
  createStartLog().fatal(text.trim().replace(/^error: /, ''));
}

/** Returns the format that the environment gives. Settings that cannot be read give none. */
export function givenFormat({ LECTERN_LOG_FORMAT, LECTERN_DEFAULTS = '{}' }: NodeJS.ProcessEnv): string | undefined {
  if (LECTERN_LOG_FORMAT) return LECTERN_LOG_FORMAT;
  try {
    return JSON.parse(LECTERN_DEFAULTS).log?.format;
  } catch {
    return undefined;
  }
}
