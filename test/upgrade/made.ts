/** What `make.ts` wrote. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { temporaryFolder } from '../support/folders.ts';
import type { Answer } from './files.ts';

const folder = join(import.meta.dirname, 'made');
const end = '.tar.br';
const recorded = 'recorded.json';

export interface Made {
  /** The names of all settings of the version, such as `admin.tokens`. */
  readonly settings: readonly string[];
  /** What the version answered from its files, by kind. */
  readonly answers: Readonly<Record<string, readonly Answer[]>>;
}

/** The versions with files, by day: the day and the hash of their commits. */
export const versions = readdirSync(folder)
  .sort()
  .map((name) => name.slice(0, -end.length));

/** Packs the files of a version, which are in a folder, with what it answered. Returns the path of the archive. */
export function writeMade(version: string, files: string, made: Made): string {
  writeFileSync(join(files, recorded), JSON.stringify(made));
  // locks, settings and the cache of a replica belong to the process that made the files
  const left = ['*.lock', 'lock', '*.config.json', 'replica'].map((name) => `--exclude=${name}`);
  const archive = execFileSync('tar', ['-c', '--sort=name', ...left, '-C', files, '.'], { maxBuffer: 2 ** 30 });
  const path = join(folder, `${version}${end}`);
  writeFileSync(path, brotliCompressSync(archive));
  return path;
}

/** Unpacks the files of a version into a temporary folder. */
export function unpackMade(version: string): { readonly folder: string; readonly made: Made } {
  const unpacked = temporaryFolder('lectern-upgrade-');
  const archive = brotliDecompressSync(readFileSync(join(folder, `${version}${end}`)));
  execFileSync('tar', ['-x', '-C', unpacked], { input: archive });
  return { folder: unpacked, made: JSON.parse(readFileSync(join(unpacked, recorded), 'utf8')) as Made };
}

interface SettingSchema {
  readonly properties?: Readonly<Record<string, SettingSchema>>;
}

/** Returns the names of the settings of this version. */
export function readSettingNames(): string[] {
  const schema = new URL('../../data/schemas/config.schema.json', import.meta.url);
  return settingNames(JSON.parse(readFileSync(schema, 'utf8')));
}

/** Returns the names of the settings of a JSON Schema of settings files. */
export function settingNames({ properties = {} }: SettingSchema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    `${prefix}${name}`,
    ...settingNames(schema, `${prefix}${name}.`),
  ]);
}
