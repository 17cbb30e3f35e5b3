import { isatty } from 'node:tty';
import type { Logger } from 'pino';

/** Logs the warnings of this thread, which Node would print to stderr. */
export function logProcessWarnings(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, code }: Error & { code?: string }) => log.warn({ name, code }, message));
}

/** Logs warnings and uncaught exceptions, which Node would print to stderr. Exits after an uncaught exception. */
export function logProcessEvents(log: Logger): void {
  logProcessWarnings(log);
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, `the server exits after an unexpected error: ${err.message}`);
    process.exit(1);
  });
}

/**
 * Handles SIGTERM and SIGINT: calls `stop`, which resolves when requests in progress have finished, and exits with 0. A
 * second signal exits at once. SIGHUP calls `reload`, unless the terminal of the process is gone.
 */
export function handleSignals({ stop, reload }: { stop(): Promise<void>; reload(): void }): void {
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
    else reload();
  });
}

/** Ends the process by the default action of SIGHUP. A normal exit of Node crashes when it resets the lost terminal. */
function endBySighup(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
