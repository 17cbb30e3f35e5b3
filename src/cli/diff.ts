import { describeDifferences } from '../changes/diff/describe-differences.ts';
import { diffSnapshots } from '../changes/diff/diff-snapshots.ts';
import { SnapshotError } from '../core/errors.ts';
import { loadSnapshot } from '../load/load.ts';
import { type LoadedSnapshot, loadSettingsOf } from '../load/loaded.ts';
import type { Config } from '../model/settings/config.ts';
import { Failure, printJson } from './report.ts';

export interface DiffFlags {
  json?: boolean;
  /** Maximum number of lines below one heading. */
  limit: number;
}

/** Prints what changed between two snapshots. Returns the exit code: 0 if they are equal, otherwise 1. */
export async function diff(
  before: string,
  after: string,
  config: Config,
  { json = false, limit }: DiffFlags,
): Promise<number> {
  const differences = diffSnapshots(await load(before, config), await load(after, config));
  if (json) printJson(differences);
  else console.log(describeDifferences(differences, limit).join('\n'));
  return differences.isEqual ? 0 : 1;
}

async function load(snapshot: string, config: Config): Promise<LoadedSnapshot> {
  try {
    return await loadSnapshot(snapshot, loadSettingsOf(config));
  } catch (error) {
    // locations in a snapshot do not say which of the two it is
    if (error instanceof SnapshotError) throw new Failure(`${snapshot}: ${error.message}`);
    throw error;
  }
}
