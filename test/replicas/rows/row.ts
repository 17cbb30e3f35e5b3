import type { Stage, StageOptions } from '../stage.ts';

/** A failure, and what is mended after it. */
export interface Row {
  readonly name: string;
  readonly options: StageOptions;
  /** Whether all servers run, and changes are made, before `run`. Default: true. */
  readonly isBegun?: boolean;
  /** Returns when everything is mended. Rejects if something is not as it must be. */
  run(stage: Stage, times: RowTimes): Promise<void>;
}

export interface RowTimes {
  /** Repetitions at random moments. */
  readonly rounds: number;
  /** Returns a number from 0 to 1. */
  random(): number;
}

/** Enough for a difference between replicas. */
export const few: StageOptions = { replicas: 2 };
