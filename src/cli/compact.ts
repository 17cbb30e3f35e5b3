import { existsSync } from 'node:fs';
import { describeCut } from '../changes/journal/recover.ts';
import { compactJournal } from '../content/live/compact-journal.ts';
import { formatNumber } from '../core/problems.ts';
import { loadSnapshot } from '../load/load.ts';
import { type Config, ConfigError } from '../model/settings/config.ts';
import { counted, Failure, megabytes, seconds } from './report.ts';

/** Compacts the journal of a snapshot that no server has, and prints what it did. */
export async function compact(snapshot: string, config: Config): Promise<void> {
  const { journal } = config;
  if (journal === undefined) throw new ConfigError('Name the journal: lectern compact SNAPSHOT --journal FILE');
  // opening would create it
  if (!existsSync(journal)) throw new Failure(`There is no journal ${journal}`);
  const started = performance.now();
  const { batches, version, image, bytesBefore, bytesAfter, cut } = await compactJournal(
    journal,
    snapshot,
    config,
    loadSnapshot,
  );
  if (cut) console.log(`${journal}: ${describeCut(cut)}`);
  if (!image) return console.log(`${journal} holds no changes since version ${version}: there is nothing to compact`);
  const took = seconds(performance.now() - started);
  console.log(`Wrote ${image.path} in ${took}: ${megabytes(image.bytes)}, the content of version ${version}`);
  const sizes = `${formatNumber(bytesAfter)} bytes in place of ${formatNumber(bytesBefore)}`;
  console.log(`Removed ${counted(batches, 'batch', 'batches')} of changes from ${journal}, which has ${sizes}`);
}
