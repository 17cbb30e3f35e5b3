import { isatty } from 'node:tty';
import type { Logger } from 'pino';

/** Writes to the log what Node would print to stderr, and ends the process after an exception that nobody caught. */
export function logProcessEvents(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, code }: Error & { code?: string }) => log.warn({ name, code }, message));
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, `the server ends after an unexpected error: ${err.message}`);
    process.exit(1);
  });
}

/**
 * SIGTERM and SIGINT call `stop`, which resolves when requests under way have finished, and exit with 0. A second
 * signal does not wait. SIGHUP is ignored with a warning, unless the terminal that the process runs in is gone.
 */
export function handleSignals(log: Logger, stop: () => Promise<void>): void {
  const standardInput = 0;
  const hasTerminal = isatty(standardInput);
  let isStopping = false;
  const end = () => {
    if (isStopping) process.exit(0);
    isStopping = true;
    void stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', end).on('SIGINT', end);
  process.on('SIGHUP', () => {
    if (hasTerminal && !isatty(standardInput)) void stop().then(endBySighup);
    else log.warn('SIGHUP is ignored. Restart the server to load the content again.');
  });
}

/** Ends the process as SIGHUP does by default. Node would crash while it resets a terminal that is gone. */
function endBySighup(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
