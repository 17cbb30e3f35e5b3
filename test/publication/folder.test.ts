import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPublication } from '../../src/publication/open-publication.ts';
import { temporaryFolder } from '../support/folders.ts';
import { testDriver } from './suite.ts';

const folder = temporaryFolder('lectern-publication-');
const pathOf = (name: string, version: string) => join(folder, name, 'log', `${version}.json`);

testDriver('a folder', {
  open: (name) => openPublication({ to: pathToFileURL(folder).href, name }, {}, () => {}),
  writeHead: async (name, head) => {
    const path = join(folder, name, 'head.json');
    if (head === null) rmSync(path);
    else writeFileSync(path, JSON.stringify({ format: 1, ...head }));
  },
  storedChanges: async (name) => {
    const versions = readdirSync(join(folder, name, 'log')).map((file) => file.replace('.json', ''));
    return versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  },
  loseChange: async (name, version) => rmSync(pathOf(name, version)),
  damageChange: async (name, version) => writeFileSync(pathOf(name, version), '{"format":1,"epoch":1'),
});
