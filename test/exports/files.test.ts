// Which files of an archive or a folder are read, whatever else is in it.
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { loadError } from '../support/broken.ts';
import { ask } from '../support/guide.ts';
import { entity, filesOf, folderOf, kindsOf, lines, openParts, packed } from './exports.ts';

const parts = {
  types: [{ name: 'note', attributes: { title: { type: 'string' } } }],
  entities: [entity('note', 1, { title: 'One' }), entity('note', 2, { title: 'Two' })],
};
type Files = ReturnType<typeof filesOf>;
const mark = '\uFEFF';

/** What differs from a plain export, and the warnings that it is loaded with. */
const styles: [string, (files: Files) => Iterable<[string, string]>, Record<string, number>?][] = [
  ['nothing more', (files) => files],
  [
    'the files that macOS adds',
    (files) => [
      ['._schemas', 'x'],
      ['__MACOSX/schemas/._schemas_00001.jsonl', 'x'],
      ['.DS_Store', 'x'],
      ...[...files].flatMap(([name, text]): [string, string][] => [
        [name.replace(/([^/]+)$/, '._$1'), '\u0000\u0005\u0016\u0007'],
        [name, text],
      ]),
    ],
  ],
  ['a folder around it', (files) => [...files].map(([name, text]) => [`export_2024/${name}`, text])],
  ['two folders around it', (files) => [...files].map(([name, text]) => [`a/b/${name}`, text])],
  ['byte order marks', (files) => [...files].map(([name, text]) => [name, mark + text])],
  ['a byte order mark in an empty file', (files) => [...files, ['links/links_00002.jsonl', mark]]],
  ['Windows line ends', (files) => [...files].map(([name, text]) => [name, text.replaceAll('\n', '\r\n')])],
  ['its files in another order', (files) => [...files].reverse()],
  [
    'entities in several files, the later first',
    (files) => {
      const [one, two, ...rest] = files.get('entities/entities_00001.jsonl')!.split('\n');
      files.set('entities/entities_00001.jsonl', rest.join('\n'));
      return [['entities/entities_00010.jsonl', `${two}\n`], ['entities/entities_00002.jsonl', `${one}\n`], ...files];
    },
  ],
  [
    'foreign files',
    (files) => [
      ...files,
      ['notes.txt', 'x'],
      ['schemas/readme.md', 'x'],
      ['backup/entities/entities_00001.jsonl', 'x'],
    ],
    { 'foreign-file': 3 },
  ],
  ['assets', (files) => [...files, ['assets/uploads/a.png', 'x'], ['assets/metadata/a.png.json', '{}']]],
  ['no metadata', (files) => [...files].filter(([name]) => name !== 'metadata.json')],
  ['no configuration', (files) => [...files].filter(([name]) => !name.startsWith('configuration'))],
];

describe.each([
  ['an archive', packed],
  ['a folder', folderOf],
])('%s', (_, write) => {
  test.each(styles)('is loaded with %s', async (_, change, warnings = {}) => {
    const content = await open(await write(change(filesOf(parts))));
    const { body } = await ask(content, '/api/notes', 'fields=title&sort=id');
    expect(body.data).toMatchObject([{ title: 'One' }, { title: 'Two' }]);
    expect(kindsOf(content)).toEqual(warnings);
  });

  test('is rejected with two exports in it', async () => {
    const files = [...filesOf(parts)].flatMap(([name, text]): [string, string][] => [
      [`a/${name}`, text],
      [`b/${name}`, text],
    ]);
    expect((await loadError(await write(files))).message).toContain('several exports in one archive or folder: a/, b/');
  });
});

test('a strict load rejects foreign files', async () => {
  const path = folderOf([...filesOf(parts), ['notes.txt', 'x']]);
  const { problems } = await loadError(path, { tolerance: 'strict' });
  expect(problems).toEqual(['notes.txt: the file does not belong to a Strapi export']);
});

test('an empty export is loaded', async () => {
  const content = await openParts({ types: parts.types });
  expect((await ask(content, '/api/notes')).body.data).toEqual([]);
  expect(kindsOf(content)).toEqual({});
});

test('a missing part is named', async () => {
  const types = [{ ...parts.types[0], localized: true }];
  const files = [...filesOf({ types })].filter(([name]) => !/^(entities|links|configuration)/.test(name));
  const { warnings } = (await open(folderOf(files))).summary;
  expect(warnings).toMatchObject([{ kind: 'missing-files', count: 2 }]);
  expect(warnings[0].message).toContain('no entities/*.jsonl');
  expect(warnings[0].message).toContain('the default locale is assumed to be "en"');
});

test('lines of entities may have further keys', async () => {
  const files = filesOf({ types: parts.types });
  const further = { ...entity('note', 1, { title: 'One', nobody: 'knows' }), version: 2 };
  files.set('entities/entities_00002.jsonl', lines([further]));
  expect(kindsOf(await open(folderOf(files)))).toEqual({});
});

test.each([
  ['a ZIP archive', Buffer.from('PK\u0003\u0004'), 'ZIP archives are not supported; unpack it first'],
  ['a Git LFS pointer', Buffer.from('version https://git-lfs.github.com/spec/v1\n'), 'run "git lfs pull"'],
])('%s is reported as such', async (_, bytes, message) => {
  const path = `${await packed([])}.tar`;
  writeFileSync(path, bytes);
  expect((await loadError(path)).message).toContain(message);
});
