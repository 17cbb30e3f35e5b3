/** docs/configuration.md lists every setting with its default, and every flag. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configSchema } from '../../src/model/settings/config.ts';
import { serverFields } from '../../src/model/settings/server.ts';
import { variablesOf } from '../../src/model/settings/variables.ts';
import { blocksOf, codesIn, pageAt, project, rowsBelow } from './pages.ts';

const page = pageAt('docs/configuration.md');
/** The rows of a section whose first cell names settings. */
const settingsBelow = (heading: string) => rowsBelow(page, heading).filter(([name]) => name !== 'setting');
const namesBelow = (heading: string) => settingsBelow(heading).flatMap(([name]) => codesIn(name));

const paths = variablesOf(configSchema).map(({ path }) => path.join('.'));
/** Settings without members of their own. */
const leaves = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}.`)));
const isOption = (path: string) => !(path.split('.')[0] in serverFields);

describe('docs/configuration.md', () => {
  const ofOpen = ['## Content and queries', '## Access'].flatMap(namesBelow).filter((name) => paths.includes(name));
  const ofServer = namesBelow('## Server');

  test('lists the settings that open() takes in the sections on content and access', () => {
    expect(ofOpen.sort()).toEqual(leaves.filter(isOption).sort());
  });

  test('lists all others in the section on the server', () => {
    expect(ofServer.sort()).toEqual(leaves.filter((path) => !isOption(path)).sort());
  });

  test('gives the defaults of the schema', () => {
    const defaults = { ...configSchema.parse({}), rateLimit: { seconds: 60 } };
    const valueAt = (path: string) =>
      path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], defaults);
    const rows = ['## Content and queries', '## Access', '## Server'].flatMap(settingsBelow);
    const wrong = rows.flatMap(([name, written]) =>
      codesIn(name)
        .filter((path) => leaves.includes(path))
        .filter((path) => !isDefault(valueAt(path), written))
        .map((path) => `${path}: ${written}, but ${JSON.stringify(valueAt(path))}`),
    );
    expect(wrong).toEqual([]);
  });

  test('has a config file that is one', () => {
    const file = blocksOf(page).find(({ language }) => language === 'json')!.text;
    let digests = 0;
    const config = file.replaceAll(/DIGEST[^"]*/g, () => String(++digests).padStart(64, '0'));
    expect(configSchema.parse(JSON.parse(config)).tokens).toHaveLength(2);
  });

  test('lists the flags of serve', () => {
    const cli = join(project, 'dist/cli.js');
    const help = execFileSync(process.execPath, [cli, 'serve', '--help'], { encoding: 'utf8' });
    const flags = Array.from(help.matchAll(/^ +(--[a-z-]+)/gm), ([, flag]) => flag);
    const listed = rowsBelow(page, '### Flags')
      .flatMap(([flag]) => codesIn(flag))
      .filter((flag) => flag.startsWith('--'));
    expect(listed.map((flag) => flag.split(' ')[0]).sort()).toEqual(flags.sort());
  });
});

/** Whether a default is written as its value. Defaults that depend on something are described in words. */
function isDefault(value: unknown, written: string): boolean {
  if (written === 'none') return value === undefined || isEmpty(value);
  if (typeof value === 'number') return written === value.toLocaleString('en-US') || written === String(value);
  if (typeof value === 'boolean') return written === String(value);
  if (typeof value === 'string') return written === `\`${value}\``;
  if (Array.isArray(value) && value.length > 0) return written === `\`${value.join()}\``;
  return value === undefined || Array.isArray(value);
}

/** Whether a value is a list or an object without items. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
