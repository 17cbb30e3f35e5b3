import { resolve } from 'node:path';
import { openExtension, openWithExtension } from '../../src/content/open.ts';
import type { Content, JsonSnapshot, OpenOptions } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot, LoadOptions } from '../../src/load/loaded.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';

const loaded = new Map<string, Promise<LoadedSnapshot>>();

/** Loads a snapshot once per process and set of options. A store never changes, so all files of tests can share it. */
export function loadShared(source: string | JsonSnapshot, options: LoadOptions = {}): Promise<LoadedSnapshot> {
  const key = JSON.stringify([typeof source === 'string' ? resolve(source) : source, options]);
  const known = loaded.get(key) ?? loadSnapshot(source, options);
  loaded.set(key, known);
  return known;
}

/** Opens content as `open` does, with caches of its own and a store that is loaded once per process. */
export async function openShared(source: string | JsonSnapshot, options: OpenOptions = {}): Promise<Content> {
  const settings = readOptions(options);
  return openWithExtension(source, settings, () => 'options', await openExtension(settings), loadShared);
}
