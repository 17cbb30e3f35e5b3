/** What a snapshot says about the files below `/uploads`. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stampOf } from '../files.ts';

/** Where the files are that a snapshot brings along. `names` are those that its entries name; null allows every file. */
export type UploadedFiles =
  | { readonly kind: 'folder'; readonly path: string; readonly names: ReadonlySet<string> | null }
  | { readonly kind: 'archive'; readonly path: string; readonly names: ReadonlySet<string>; readonly stamp: string };

/** The assets of a Strapi export, which may stand in the folder `root` inside. Null if its entries name none. */
export async function assetsOf(path: string, root: string, names: ReadonlySet<string>): Promise<UploadedFiles | null> {
  if (names.size === 0) return null;
  if ((await stat(path)).isDirectory()) return { kind: 'folder', path: join(path, root, 'assets', 'uploads'), names };
  return { kind: 'archive', path, names, stamp: await stampOf(path) };
}

/** The path of the files of Strapi's local provider. */
const uploadsPath = '/uploads/';

/** Most file systems allow no longer name. */
const longestName = 255;

/** Returns the names below `/uploads` that a media file and its formats have. A file on another server has none. */
export function uploadNamesOf(file: Record<string, unknown>): string[] {
  const formats = isObject(file.formats) ? Object.values(file.formats).filter(isObject) : [];
  return [file, ...formats].flatMap(namesOf).filter(isFileName);
}

function namesOf({ url, hash, ext }: Record<string, unknown>): string[] {
  if (typeof url === 'string' && !url.startsWith(uploadsPath)) return [];
  const names = typeof hash === 'string' && hash !== '' ? [hash + (typeof ext === 'string' ? ext : '')] : [];
  if (typeof url !== 'string') return names;
  const written = url.slice(uploadsPath.length).replace(/[?#].*$/s, '');
  return [...names, written, decoded(written)];
}

/** Whether a text names a file that may stand in a folder of uploads: no path, no hidden file, nothing odd. */
export function isFileName(name: string): boolean {
  return !/^\.|^$|[/\\\0]/.test(name) && Buffer.byteLength(name) <= longestName;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
