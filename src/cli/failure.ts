import { JournalError } from '../changes/journal/errors.ts';
import { SnapshotError } from '../core/errors.ts';
import { ConfigError } from '../model/settings/config.ts';
import { ListenError } from '../server/connections/listening.ts';
import { Failure } from './report.ts';

/** Exit codes: 1 for an error of the snapshot or the system, 2 for a wrong command or setting. */
export const exitCodes = { failed: 1, misused: 2 };

/** The exit code and message of a failed command. */
export interface CommandFailure {
  readonly code: number;
  readonly message: string;
  /** The error if it is unexpected, to print its stack. */
  readonly unexpected?: unknown;
}

export function describeFailure(error: unknown): CommandFailure {
  const code = error instanceof ConfigError ? exitCodes.misused : exitCodes.failed;
  const message = error instanceof Error ? error.message : String(error);
  const kinds = [SnapshotError, ConfigError, JournalError, ListenError, Failure];
  // system errors such as ENOENT have complete messages
  const isExpected = kinds.some((kind) => error instanceof kind) || (error instanceof Error && 'syscall' in error);
  return isExpected ? { code, message } : { code, message, unexpected: error };
}
