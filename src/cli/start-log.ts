import type { Logger } from 'pino';
import { createLog } from '../server/log/log.ts';

/** Creates the log of a failed start. People read it, so it is text unless the settings ask for JSON. */
export function createStartLog(format = process.env.LECTERN_LOG_FORMAT): Logger {
  return createLog({ level: 'info', format: format === 'json' ? 'json' : 'text' });
}

/** Logs a mistake in the command line. */
export function writeUsageError(text: string): void {
  createStartLog().fatal(text.trim().replace(/^error: /, ''));
}
