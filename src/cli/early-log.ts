import type { Logger } from 'pino';
import { type LogFormat, logFormats } from '../config/server.ts';
import { createLog } from '../server/log/log.ts';

/** Creates the log to use until the settings are read. */
export function createEarlyLog(): Logger {
  const format: LogFormat = logFormats.find((known) => known === process.env.LECTERN_LOG_FORMAT) ?? 'auto';
  return createLog({ level: 'info', format });
}

/** Logs a command line error in the format of the log. */
export function writeUsageError(text: string): void {
  createEarlyLog().fatal(text.trim().replace(/^error: /, ''));
}
