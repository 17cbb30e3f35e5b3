import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSignature, listFiles } from '../../load/files.ts';

/** Uploaded files of an unpacked export. They are served from their folder, so a change of them needs no reload. */
const uploadedFile = /(^|\/)assets\/uploads\//;

/**
 * Returns a text that changes when the snapshot at a path is written or replaced, or null if nothing is there. Reads
 * names and times, not the content.
 */
export async function sourceSignature(source: string): Promise<string | null> {
  try {
    return (await stat(source)).isDirectory() ? await folderSignature(source) : await fileSignature(source);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // a load of a source that cannot be read gives the reason
    return code === 'ENOENT' || code === 'ENOTDIR' ? null : `unreadable: ${code}`;
  }
}

async function folderSignature(folder: string): Promise<string> {
  const { files, specialFiles } = await listFiles(folder);
  const names = [...files, ...specialFiles].filter((name) => !uploadedFile.test(name)).sort();
  const signatures = await Promise.all(names.map((name) => fileSignature(join(folder, name)).catch(() => 'gone')));
  const hash = createHash('sha256');
  for (const [index, name] of names.entries()) hash.update(`${name}\n${signatures[index]}\n`);
  return hash.digest('hex');
}

/** Whether a file of a folder is not part of its signature. */
export function isUnwatched(name: string): boolean {
  return uploadedFile.test(`${name}/`);
}
