import { constants } from 'node:buffer';
import { basename, dirname } from 'node:path';
import { syncFolder, writeAtomically, writeWhole } from '../../core/write-file.ts';
import { type Cut, keepCut } from './cut.ts';
import { JournalDamaged, JournalError } from './errors.ts';
import { type FileLayer, type JournalFile, readRange } from './file-layer.ts';
import { decodeHeader, encodeHeader, type JournalHeader } from './format.ts';
import { isImageOf, removeLeftovers } from './images.ts';
import { type ReadRecords, readRecords } from './read-records.ts';
import { type ContentIdentity, isSameContent } from './transaction.ts';

export interface Recovered extends ReadRecords {
  readonly file: JournalFile;
  readonly header: JournalHeader;
  /** What was cut off the end. */
  readonly cut: Cut | null;
}

/**
 * Reads the journal at `path`, or creates it, moves what follows the last valid record to another file, and puts the rest
 * on disk. The caller holds the lock. Takes as much memory as the file, for the time of the call.
 */
export async function recover(path: string, content: ContentIdentity, files: FileLayer): Promise<Recovered> {
  const names = await files.readdir(dirname(path));
  if (!names.includes(basename(path))) {
    const orphan = names.find((name) => isImageOf(path, name));
    if (orphan) {
      const advice = 'Restore the journal or remove the image';
      throw new JournalError(`the journal ${path} is missing, but its image ${orphan} is there. ${advice}`);
    }
    const base = { epoch: content.epoch, version: content.version, sequence: 0, image: null };
    await writeAtomically(path, [encodeHeader({ origin: content, base })], files);
  }
  const file = await files.open(path, 'r+');
  try {
    const { size } = await file.stat();
    if (size > constants.MAX_LENGTH) {
      const most = `Node.js can read at most ${constants.MAX_LENGTH}`;
      throw new JournalError(`the journal ${path} has ${size} bytes, and ${most}`);
    }
    const bytes = await readRange(file, 0, size);
    const { header, end: headerEnd } = decodeHeader(path, bytes);
    requireContent(path, header, content);
    const { image } = header.base;
    if (image !== null && !names.includes(image)) {
      throw new JournalDamaged(path, 0, `it belongs to the image ${image}, which is missing`);
    }
    const read = readRecords(path, bytes, headerEnd, header.base);
    const cut = read.end === bytes.length ? null : await keepCut(path, bytes, read.end, files);
    await secure(file, read, bytes);
    await syncFolder(dirname(path), files);
    await removeLeftovers(path, image, files);
    return { ...read, file, header, cut };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Cuts the file at the last complete record and puts that record and the length on disk. An earlier process may have
 * failed to sync what it wrote or cut. The kernel then holds it in memory as if it were on disk, so another sync would
 * not write it. Doing it again does: without it, a power cut could bring back a record that was cut off.
 */
async function secure(file: JournalFile, { records, end }: ReadRecords, bytes: Buffer): Promise<void> {
  const last = records.at(-1);
  if (last) await writeWhole(file, bytes.subarray(last.start, last.end), last.start);
  await writeWhole(file, Buffer.alloc(1), end);
  await file.truncate(end);
  await file.sync();
}

function requireContent(path: string, { origin, base }: JournalHeader, content: ContentIdentity): void {
  if ([origin.version, base.version].includes(content.version)) return;
  const describe = ({ epoch, version }: ContentIdentity) => `version ${version} of epoch ${epoch}`;
  const own = isSameContent(origin, base) ? describe(base) : `${describe(base)}, which began as ${describe(origin)}`;
  throw new JournalError(`the journal ${path} belongs to ${own}. The content to serve has version ${content.version}`);
}
