/** The uploaded files of a snapshot, served below `/uploads`. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainObject } from '../core/plain-object.ts';
import { fileSignature } from './files.ts';

/** Source of the uploaded files. `names` holds the file names in entries. Null allows every file of the folder. */
export type UploadedFiles =
  | { readonly kind: 'folder'; readonly path: string; readonly names: ReadonlySet<string> | null }
  | {
      readonly kind: 'archive';
      readonly path: string;
      readonly names: ReadonlySet<string>;
      readonly signature: string;
    };

/** Returns the assets of a Strapi export, or null if no entry names a file. `root` is the subfolder of the export. */
export async function assetsOf(path: string, root: string, names: ReadonlySet<string>): Promise<UploadedFiles | null> {
  if (names.size === 0) return null;
  if ((await stat(path)).isDirectory()) return { kind: 'folder', path: join(path, root, 'assets', 'uploads'), names };
  return { kind: 'archive', path, names, signature: await fileSignature(path) };
}

/** URL prefix of Strapi's local upload provider. */
const uploadsPath = '/uploads/';

/** Maximum length of a file name on most file systems, in bytes. */
const maxNameBytes = 255;

/** Returns the names of a media file and its formats below `/uploads`. A file on another server has none. */
export function uploadNamesOf(file: Record<string, unknown>): string[] {
  const formats = isPlainObject(file.formats) ? Object.values(file.formats).filter(isPlainObject) : [];
  return [file, ...formats].flatMap(namesOf).filter(isFileName);
}

function namesOf({ url, hash, ext }: Record<string, unknown>): string[] {
  if (typeof url === 'string' && !url.startsWith(uploadsPath)) return [];
  const names = typeof hash === 'string' && hash !== '' ? [hash + (typeof ext === 'string' ? ext : '')] : [];
  if (typeof url !== 'string') return names;
  const written = url.slice(uploadsPath.length).replace(/[?#].*$/s, '');
  return [...names, written, decoded(written)];
}

/** Whether a string is a plain file name: not a path, not hidden, and not too long. */
function isFileName(name: string): boolean {
  return !/^\.|^$|[/\\\0]/.test(name) && Buffer.byteLength(name) <= maxNameBytes;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
