import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/folders.ts';
import { hostileNames, hostileValues } from './hostile-values.ts';

const mayRead = (...names: string[]) =>
  names.flatMap((name) => [`api::${name}.${name}.find`, `api::${name}.${name}.findOne`]);

const owner = { type: 'relation', relation: 'manyToOne', target: 'api::owner.owner' };
const cover = { type: 'media', multiple: false };

/** Writes a snapshot in which every text is hostile, and returns its folder. The entry `value-N` has the Nth value. */
export function writeHostileSnapshot(): string {
  const folder = temporaryFolder('lectern-hostile-');
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(value));
  };
  const name = (i: number) => hostileNames[i % hostileNames.length];

  write('content-types/value.json', {
    info: { singularName: 'value', pluralName: 'values', displayName: name(0), description: name(8) },
    attributes: {
      title: { type: 'string' },
      plain: { type: 'text' },
      rich: { type: 'richtext' },
      data: { type: 'json' },
      kind: { type: 'enumeration', enum: hostileNames },
      body: { type: 'blocks' },
      seo: { type: 'component', component: 'shared.seo', repeatable: false },
      owner,
      cover,
    },
  });
  write('components/shared/seo.json', {
    info: { displayName: name(9), description: name(20) },
    attributes: { heading: { type: 'string' }, link: { type: 'string' } },
  });
  write('content-types/owner.json', {
    info: { singularName: 'owner', pluralName: 'owners', displayName: name(10), description: name(30) },
    attributes: { name: { type: 'string' } },
  });
  // types whose names alone are hostile
  for (const [i, displayName] of hostileNames.entries()) {
    write(`content-types/kind-${i}.json`, {
      info: { singularName: `kind-${i}`, pluralName: `kinds-${i}`, displayName, description: name(i + 1) },
      attributes: { title: { type: 'string' } },
    });
    write(`entries/kind-${i}.json`, []);
  }

  write(
    'entries/value.json',
    hostileValues.map((value, i) => ({
      documentId: `value-${i}`,
      title: value,
      plain: value,
      rich: value,
      data: { value, [`key ${value}`]: [value] },
      kind: name(i),
      body: [
        { type: 'paragraph', children: [{ type: 'text', text: value, bold: true }] },
        { type: 'paragraph', children: [{ type: 'link', url: value, children: [{ type: 'text', text: value }] }] },
      ],
      seo: { heading: value, link: value },
      owner: `owner-${i % hostileNames.length}`,
      cover: `file-${i}`,
    })),
  );
  write(
    'entries/owner.json',
    hostileNames.map((value, i) => ({ documentId: `owner-${i}`, name: value })),
  );
  write(
    'entries/file.json',
    hostileValues.map((value, i) => ({
      id: i + 1,
      documentId: `file-${i}`,
      name: value,
      alternativeText: value,
      caption: value,
      width: 10,
      height: 10,
      formats: i % 2 === 0 ? null : { thumbnail: { name: value, url: value, mime: 'image/png', width: 5, height: 5 } },
      hash: `hash-${i}`,
      ext: '.png',
      mime: 'image/png',
      size: 1,
      url: value,
      provider: 'local',
    })),
  );
  const types = ['value', 'owner', ...hostileNames.map((_, i) => `kind-${i}`)];
  const permissions = [...mayRead(...types), 'plugin::upload.content-api.find'];
  write('roles.json', [
    { type: 'public', name: 'Public', permissions },
    ...hostileNames.slice(0, 12).map((type) => ({ type, name: type, permissions: mayRead('owner') })),
  ]);
  return folder;
}
