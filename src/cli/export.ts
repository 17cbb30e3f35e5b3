import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { leftOut, type WrittenSnapshot, writeJsonSnapshot } from '../changes/export/write-json-snapshot.ts';
import { loadWithJournal } from '../content/live/read-journal.ts';
import { readGivenContents } from '../content/registry/given-contents.ts';
import { messageOf } from '../core/errors.ts';
import { warning } from '../core/problems.ts';
import { copyUploads } from '../http/files/copy-uploads.ts';
import { loadSnapshot } from '../load/load.ts';
import { type LoadedSnapshot, loadSettingsOf } from '../load/loaded.ts';
import type { Config } from '../model/settings/config.ts';
import { createLog } from '../server/log/log.ts';
import { isVersionOf, prepareDigests } from '../store/writer/rows/row-digest.ts';
import type { Flags } from './flags.ts';
import { requireNewFolder } from './init.ts';
import { counted, Failure, printWarnings, seconds } from './report.ts';
import { readSnapshotSettings } from './settings.ts';
import { givenDatabase, openSources, type SourceFlags } from './sources.ts';

export interface ExportFlags extends SourceFlags {
  /** The folder of the JSON snapshot. */
  readonly out: string;
}

/** Writes what is served of a source, with the changes of a journal, as a JSON snapshot. Loads it again to compare it. */
export async function exportSnapshot(source: string | undefined, given: Flags, flags: ExportFlags): Promise<void> {
  const out = resolve(flags.out);
  if (/\.(tar|gz|tgz|zip|json)$/i.test(out)) {
    throw new Failure(`${flags.out}: a JSON snapshot is a folder. Name one: lectern export SOURCE --out FOLDER`);
  }
  requireNewFolder(out, 'lectern export SOURCE --out FOLDER');
  const started = performance.now();
  const { loaded, config } = await loadSource(source, given, flags);
  const part = join(dirname(out), `.${basename(out)}.${process.pid}-${randomUUID()}`);
  await mkdir(part, { recursive: true });
  try {
    const written = await writeJsonSnapshot(part, loaded);
    const copied = await copyFiles(loaded, part, config);
    const difference = await compareWith(loaded, part, config);
    if (existsSync(out)) await rmdir(out);
    await rename(part, out);
    console.log(
      `Wrote ${flags.out} in ${seconds(performance.now() - started)}: ${describe(written, copied?.files ?? 0)}`,
    );
    console.log(
      `Loaded again, it is version ${loaded.store.contentDigest}${difference ? '' : ', the content of the source'}`,
    );
    reportLeftOut(loaded, config);
    printWarnings((copied?.warnings ?? []).map((message) => warning('uploads', message)));
    if (difference) throw new Failure(`${flags.out} ${difference}`);
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** Loads a source as `serve` does, without following it. */
async function loadSource(
  source: string | undefined,
  given: Flags,
  flags: SourceFlags,
): Promise<{ loaded: LoadedSnapshot; config: Config }> {
  const contents = flags.database
    ? givenDatabase(source === undefined ? [] : [source], flags, process.env)
    : readGivenContents([source!]);
  const settings = await readSnapshotSettings([flags.database ? flags.types! : source!], given);
  const config = { ...settings.config, watch: false, follow: { ...settings.config.follow, enabled: false } };
  const sources = await openSources(contents, {
    flags,
    settings: { config, sourceOf: settings.sourceOf },
    isShared: false,
    log: createLog({ level: 'warn', format: 'text' }),
    environment: process.env,
  });
  const [{ snapshot, load }] = sources.given.contents;
  await prepareDigests();
  const loaded = await (load?.() ?? loadSnapshot(snapshot, loadSettingsOf(config)));
  printWarnings(loaded.warnings);
  const { journal } = config;
  if (journal === undefined) return { loaded, config };
  const read = await loadWithJournal(journal, snapshot, loaded, config, loadSnapshot);
  console.log(
    `Read ${counted(read.batches, 'batch', 'batches')} of changes from ${journal}, up to version ${read.version}`,
  );
  if (read.rest > 0) {
    console.error(
      `warning: ${journal} ends with ${counted(read.rest, 'byte')} of a record that is not complete, or damaged. They are left out`,
    );
  }
  return { loaded: read.loaded, config };
}

async function copyFiles({ uploadedFiles }: LoadedSnapshot, folder: string, { uploads, cacheDir }: Config) {
  if (!uploadedFiles || uploads === false || typeof uploads === 'string') return null;
  const copied = await copyUploads(uploadedFiles, join(folder, 'uploads'), cacheDir);
  // an empty folder says that there are files
  if (copied.files === 0) await rmdir(join(folder, 'uploads'));
  return copied;
}

/** Loads the export as its source was. Returns what is wrong with it, or null. */
async function compareWith(loaded: LoadedSnapshot, folder: string, config: Config): Promise<string | null> {
  try {
    const again = await loadSnapshot(folder, loadSettingsOf(config));
    const [before, after] = [loaded.store.contentDigest, again.store.contentDigest];
    return isVersionOf(again.store, before)
      ? null
      : `has other content than the source: version ${after} in place of ${before}`;
  } catch (error) {
    return `does not load: ${messageOf(error).replaceAll(`${folder}/`, '')}`;
  }
}

function describe({ entries, types }: WrittenSnapshot, files: number): string {
  const uploaded = files > 0 ? `, ${counted(files, 'uploaded file')}` : '';
  return `${counted(entries, 'entry', 'entries')} of ${counted(types, 'type')}${uploaded}`;
}

/** Attributes in a line. */
const maxListed = 5;

/** Prints what the snapshot does not hold. */
function reportLeftOut(loaded: LoadedSnapshot, { uploads }: Config): void {
  const { attributes, users, apiTokens } = leftOut(loaded);
  if (attributes.length > 0) {
    const more = attributes.length > maxListed ? ', …' : '';
    const listed = `${attributes.slice(0, maxListed).join(', ')}${more}`;
    console.log(`Not in it: the values of ${counted(attributes.length, 'private attribute')} (${listed})`);
  }
  if (users > 0) console.log(`Not in it: the passwords of ${counted(users, 'user')}`);
  if (apiTokens > 0)
    console.log(`Not in it: ${counted(apiTokens, 'API token')} of the Strapi. The setting "tokens" defines others`);
  if (typeof uploads === 'string' || (uploads === false && loaded.uploadedFiles)) {
    console.log('Not in it: uploaded files, because of the setting "uploads"');
  }
}
