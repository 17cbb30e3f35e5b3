/** What the configuration of a project's API hides from all types is not read. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Content } from '../../../src/content/content.ts';
import { loadSnapshot } from '../../../src/load/load.ts';
import { readOptions } from '../../../src/model/settings/read-config.ts';
import { unpackProject } from './recorded-projects.ts';

const path = '/api/exhibits?populate=*&pagination[pageSize]=100';

test('private attributes of all types are in no reply, also those of components', async () => {
  const folder = unpackProject('museum');
  const answer = async () => {
    const content = new Content(await loadSnapshot(folder), readOptions(), 0);
    return JSON.parse(String((await content.answer(path)).body));
  };
  const names = ['id', 'documentId', 'createdAt', 'heading', 'attributeOfNoType'];
  const shown = JSON.stringify(await answer());
  writeFileSync(join(folder, 'config', 'api.js'), `module.exports = ${apiWith(names)};`);
  const hidden = JSON.stringify(await answer());
  const hides = (name: string) => shown.includes(`"${name}":`) && !hidden.includes(`"${name}":`);
  expect(names.filter(hides)).toEqual(['createdAt', 'heading']);
  rmSync(join(folder, 'config', 'api.js'));
  expect(JSON.stringify(await answer())).toBe(shown);
});

const apiWith = (privateAttributes: string[]) => JSON.stringify({ responses: { privateAttributes } });
