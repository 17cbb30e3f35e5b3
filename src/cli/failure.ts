import { SnapshotError } from '../base/errors.ts';
import { ConfigError } from '../config/config.ts';
import { ListenError } from '../server/listening.ts';
import { Failure } from './report.ts';

/** Exit codes: 0 done, 1 the snapshot or the machine does not allow it, 2 the command or its settings are wrong. */
export const exitCodes = { failed: 1, misused: 2 };

/** How a command ends that cannot do its work. */
export interface Ending {
  readonly code: number;
  readonly message: string;
  /** Set where nobody expected the error: its stack is of use. */
  readonly unexpected?: unknown;
}

export function endingOf(error: unknown): Ending {
  const code = error instanceof ConfigError ? exitCodes.misused : exitCodes.failed;
  const message = error instanceof Error ? error.message : String(error);
  const kinds = [SnapshotError, ConfigError, ListenError, Failure];
  // errors of the operating system, such as ENOENT, say all in their message
  const isExpected = kinds.some((kind) => error instanceof kind) || (error instanceof Error && 'syscall' in error);
  return isExpected ? { code, message } : { code, message, unexpected: error };
}
