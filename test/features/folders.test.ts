// The files of a folder and of those below it, in random trees of folders.
import { expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { entity, link, openParts } from '../exports/exports.ts';
import { randomFrom } from '../live/random-from.ts';
import type { Random } from '../property/random.ts';
import { caseCount } from '../support/cases.ts';
import { FILE, FOLDER, folderSchemas as schemas } from './folder-schemas.ts';

interface Folder {
  id: number;
  name: string;
  parent: Folder | null;
}

interface File {
  id: number;
  folder: Folder | null;
}

const names = ['Press', '2026', 'Été 100%', 'a+b & c', 'press', 'Press 2'];

function randomTree(random: Random): { folders: Folder[]; files: File[] } {
  const folders: Folder[] = [];
  for (let id = 1; id <= random.integer(1, 12); id++) {
    const parent = folders.length > 0 && random.chance(60) ? random.pick(folders) : null;
    const name = random.pick(names);
    if (!folders.some((other) => other.parent === parent && other.name === name)) folders.push({ id, name, parent });
  }
  const files = Array.from({ length: random.integer(1, 20) }, (_, i): File => {
    return { id: i + 1, folder: random.chance(80) ? random.pick(folders) : null };
  });
  return { folders, files };
}

/** The names of a folder and of those that it lies in, the outermost first. */
function pathOf(folder: Folder | null): string[] {
  return folder === null ? [] : [...pathOf(folder.parent), folder.name];
}

/** The number of a folder in paths differs from its id, as in a Strapi where folders were deleted. */
const numbersOf = (folder: Folder | null): string =>
  folder === null ? '' : `${numbersOf(folder.parent)}/${folder.id + 20}`;

function partsOf({ folders, files }: { folders: Folder[]; files: File[] }) {
  const entities = [
    ...folders.map((folder) => {
      const data = { name: folder.name, pathId: folder.id + 20, path: numbersOf(folder) };
      return entity(FOLDER, folder.id, data);
    }),
    ...files.map(({ id, folder }) => {
      const data = { name: `file ${id}`, hash: `h${id}`, ext: '.png', mime: 'image/png', size: 1, provider: 'local' };
      return entity(FILE, id, { ...data, url: `/uploads/h${id}.png`, folderPath: numbersOf(folder) || '/' });
    }),
  ];
  const links = [
    ...folders.flatMap(({ id, parent }) => (parent ? [link(`${FOLDER}.parent`, id, FOLDER, parent.id)] : [])),
    ...files.flatMap(({ id, folder }) => (folder ? [link(`${FILE}.folder`, id, FOLDER, folder.id)] : [])),
  ];
  return { schemas, entities, links };
}

async function idsIn(content: Content, folder: string[], more = ''): Promise<number[]> {
  const path = `upload/files?folder=${folder.map(encodeURIComponent).join('/')}${more}`;
  const { status, body } = await content.answerPath(path);
  expect([path, status]).toEqual([path, 200]);
  return (JSON.parse(String(body)) as { id: number }[]).map(({ id }) => id).sort((a, b) => a - b);
}

test.each(['document', 'strapi'] as const)('in the dialect %s', async (dialect) => {
  for (let seed = 1; seed <= caseCount(30, 8); seed++) {
    const tree = randomTree(randomFrom(seed));
    const options = { dialect, public: true, features: ['fileFolders' as const] };
    const content = await openParts(partsOf(tree), options);
    for (const folder of tree.folders) {
      const path = pathOf(folder);
      const expected = tree.files.filter((file) => {
        return path.every((name, i) => pathOf(file.folder)[i] === name);
      });
      expect([path, await idsIn(content, path)]).toEqual([path, expected.map(({ id }) => id)]);
      expect(await idsIn(content, path, '&sort=id:desc&filters[id][$gt]=3')).toEqual(
        expected.map(({ id }) => id).filter((id) => id > 3),
      );
      expect(await idsIn(content, [...path, 'none'])).toEqual([]);
    }
    const loose = tree.files.filter(({ folder }) => folder === null);
    expect(await idsIn(content, [])).toEqual(loose.map(({ id }) => id));
    // neither a part of a name nor a number in a path is a folder
    for (const other of ['Pres', '1', '21', 'PRESS', 'Press%', '*']) expect(await idsIn(content, [other])).toEqual([]);
  }
});

test('a caller who may not find files is refused as without the parameter', async () => {
  const content = await openParts(partsOf(randomTree(randomFrom(1))), { features: ['fileFolders'] });
  for (const query of ['', '?folder=Press', '?folder=', '?folder=none']) {
    expect((await content.answer(`/api/upload/files${query}`)).status).toBe(403);
  }
});
