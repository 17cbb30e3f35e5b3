/**
 * Runs what follows work that is done, and that an error of `task` must not make fail. Emits the error as a warning, which
 * a server logs.
 */
export function warnOfError(task: () => void): void {
  try {
    task();
  } catch (error) {
    process.emitWarning(error as Error);
  }
}
