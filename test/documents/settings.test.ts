/** docs/settings.md lists every setting, and docs/configuration.md every flag. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configSchema } from '../../src/model/settings/config.ts';
import { blocksOf, codesIn, pageAt, project, rowsBelow } from './pages.ts';
import { settingsPage } from './settings-page.ts';

const page = pageAt('docs/configuration.md');

test('docs/settings.md is written from the schema', async () => {
  await expect(settingsPage()).toMatchFileSnapshot('../../docs/settings.md');
});

test('docs/configuration.md has a config file that is one', () => {
  const file = blocksOf(page).find(({ language }) => language === 'json')!.text;
  let digests = 0;
  const config = file.replaceAll(/DIGEST[^"]*/g, () => String(++digests).padStart(64, '0'));
  expect(configSchema.parse(JSON.parse(config)).tokens).toHaveLength(2);
});

test('docs/configuration.md lists the flags of serve', () => {
  const cli = join(project, 'dist/cli.js');
  const help = execFileSync(process.execPath, [cli, 'serve', '--help'], { encoding: 'utf8' });
  const flags = Array.from(help.matchAll(/^ +(--[a-z-]+)/gm), ([, flag]) => flag);
  const listed = rowsBelow(page, '### Flags')
    .flatMap(([flag]) => codesIn(flag))
    .filter((flag) => flag.startsWith('--'));
  expect(listed.map((flag) => flag.split(' ')[0]).sort()).toEqual(flags.sort());
});
