import { lstat, readlink } from 'node:fs/promises';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';

/** Maximum number of links to follow, as on Linux. */
const maxLinks = 40;

/** The path from the root to a source, through all symbolic links. */
export interface SourcePath {
  /** Every file, folder and link on the path, with its folder. A change of any of them can change the source. */
  readonly steps: readonly { readonly folder: string; readonly path: string }[];
  /** The folder or file at the end; null if a part of the path is missing. */
  readonly end: { readonly path: string; readonly isFolder: boolean } | null;
  /** Equal for paths through the same folders to the same file, if none of them was replaced in between. */
  readonly key: string;
}

/** Follows a path as the system does. A ConfigMap has two links on the way, a release folder behind `current` one. */
export async function sourcePath(source: string): Promise<SourcePath> {
  const absolute = resolve(source);
  let at = parse(absolute).root;
  let rest = partsOf(absolute.slice(at.length));
  let isFolder = true;
  let links = 0;
  const steps: { folder: string; path: string }[] = [];
  const keys: string[] = [];
  const end = (path: SourcePath['end']) => ({ steps, end: path, key: keys.join('\n') });
  while (rest.length > 0) {
    const [name, ...others] = rest;
    const path = join(at, name);
    steps.push({ folder: at, path });
    const found = await lstat(path).catch(() => null);
    if (!found) return end(null);
    isFolder = found.isDirectory();
    rest = others;
    if (found.isSymbolicLink()) {
      if (++links > maxLinks) return end(null);
      const target = await readlink(path).catch(() => '');
      rest = [...partsOf(target), ...others];
      if (isAbsolute(target)) at = parse(target).root;
    } else {
      keys.push(`${path} ${found.ino}`);
      at = path;
    }
  }
  return end({ path: at, isFolder });
}

function partsOf(path: string): string[] {
  return path.split(sep).filter((part) => part !== '' && part !== '.');
}
