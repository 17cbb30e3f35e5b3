import { existsSync } from 'node:fs';
import { describeCut } from '../changes/journal/recover.ts';
import { compactJournal } from '../content/live/compact-stopped-journal.ts';
import { formatNumber, warning } from '../core/problems.ts';
import { copyUploads } from '../http/files/copy-uploads.ts';
import { imageContentOf, uploadsBeside } from '../load/image/load-image.ts';
import { isImage } from '../load/image/read-image.ts';
import { writeImage } from '../load/image/write-image.ts';
import { loadSnapshot } from '../load/load.ts';
import { loadSettingsOf } from '../load/loaded.ts';
import { type Config, ConfigError } from '../model/settings/config.ts';
import { counted, Failure, megabytes, printWarnings, seconds } from './report.ts';

/** Loads a snapshot and writes it as an image. Copies its uploaded files to a folder beside it. */
export async function build(snapshot: string, out: string, config: Config): Promise<void> {
  const { uploads, cacheDir } = config;
  if (typeof uploads === 'string') {
    throw new ConfigError('uploads: an image takes the files of its snapshot. Set it when you serve the image');
  }
  // a wrong argument must not overwrite content
  if (existsSync(out) && !(await isImage(out).catch(() => false))) {
    throw new Failure(`${out} exists and is not an image. Remove it or choose another --out`);
  }
  const started = performance.now();
  const loaded = await loadSnapshot(snapshot, loadSettingsOf(config));
  const { bytes, sections } = await writeImage(out, imageContentOf(loaded));
  const took = seconds(performance.now() - started);
  const parts = `${megabytes(bytes)} in ${counted(sections.length, 'section')}`;
  console.log(
    `Wrote ${out} in ${took}: ${parts}, ${loaded.dialect.name} dialect, version ${loaded.store.contentDigest}`,
  );
  printWarnings(loaded.warnings);
  if (!loaded.uploadedFiles || uploads === false) return;
  const folder = uploadsBeside(out);
  const copied = await copyUploads(loaded.uploadedFiles, folder, cacheDir);
  console.log(`Copied ${counted(copied.files, 'uploaded file')} to ${folder}`);
  printWarnings(copied.warnings.map((message) => warning('uploads', message)));
}

/** Compacts the journal of a snapshot that no server has open, and prints the result. */
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
