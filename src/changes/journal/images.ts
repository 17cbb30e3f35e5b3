import { basename, dirname, join } from 'node:path';
import { targetOfTemporary } from '../../core/write-file.ts';
import type { FileLayer } from './file-layer.ts';

/** Returns the name of the image of a base, in the folder of the journal. */
export function imageName(path: string, version: { epoch: number; sequence: number }): string {
  return `${basename(path)}${imageSuffix(version)}`;
}

/** The end of the name of an image, after the name of its journal. */
export function imageSuffix({ epoch, sequence }: { epoch: number; sequence: number }): string {
  return `.${epoch}-${sequence}.image`;
}

/** Whether a file of this name is an image of the journal at `path`. */
export function isImageOf(path: string, name: string): boolean {
  return name.startsWith(basename(path)) && /^\.\d+-\d+\.image$/.test(name.slice(basename(path).length));
}

/** Prefix of the names of files that keep the bytes which were cut off a journal. */
export function cutPrefix(path: string): string {
  return `${basename(path)}.cut-`;
}

/** The end of the name of a file beside a journal that keeps the changes which another snapshot did not take. */
export function leftSuffix({ epoch, sequence }: { epoch: number; sequence: number }): string {
  return `.left-${epoch}-${sequence}.ndjson`;
}

/** Removes what a crash left beside a journal: images other than `image`, and files that were not renamed. */
export async function removeLeftovers(path: string, image: string | null, files: FileLayer): Promise<void> {
  for (const name of await files.readdir(dirname(path))) {
    const target = targetOfTemporary(name);
    const isTemporary =
      target !== null &&
      (target === basename(path) ||
        isImageOf(path, target) ||
        target.startsWith(cutPrefix(path)) ||
        target.startsWith(`${basename(path)}.left-`));
    if (isTemporary || (isImageOf(path, name) && name !== image)) {
      await files.rm(join(dirname(path), name), { force: true });
    }
  }
}
