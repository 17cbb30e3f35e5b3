// Renamed and moved folders reach the replies that list their files.
import { expect, test } from 'vitest';
import { entity, link, openParts } from '../exports/exports.ts';
import { FILE, FOLDER, folderSchemas as schemas } from './folder-schemas.ts';

const file = (id: number) =>
  entity(FILE, id, {
    name: `file ${id}`,
    hash: `h${id}`,
    ext: '.png',
    mime: 'image/png',
    size: 1,
    url: `/uploads/h${id}.png`,
  });

test('a changed folder makes the lists of its files stale', async () => {
  const content = await openParts(
    {
      schemas,
      entities: [entity(FOLDER, 1, { name: 'Press' }), entity(FOLDER, 2, { name: '2026' }), file(1), file(2), file(3)],
      links: [
        link(`${FOLDER}.parent`, 2, FOLDER, 1),
        link(`${FILE}.folder`, 1, FOLDER, 1),
        link(`${FILE}.folder`, 2, FOLDER, 2),
      ],
    },
    { public: true, features: ['fileFolders'] },
  );
  const idsIn = async (folder: string) => {
    // asked often enough to be kept
    for (let i = 0; i < 3; i++) await content.answer(`/api/upload/files?folder=${folder}`);
    const { body } = await content.answer(`/api/upload/files?folder=${folder}`);
    return (JSON.parse(String(body)) as { id: number }[]).map(({ id }) => id);
  };
  expect([await idsIn('Press'), await idsIn('Press/2026'), await idsIn('2026'), await idsIn('')]).toEqual([
    [1, 2],
    [2],
    [],
    [3],
  ]);
  content.apply({ changes: [{ upsert: FOLDER, entry: { documentId: `${FOLDER}-1`, name: 'News' } }] });
  expect([await idsIn('Press'), await idsIn('News'), await idsIn('News/2026')]).toEqual([[], [1, 2], [2]]);
  content.apply({ changes: [{ upsert: FOLDER, entry: { documentId: `${FOLDER}-2`, name: '2026' } }] });
  expect([await idsIn('News'), await idsIn('News/2026'), await idsIn('2026')]).toEqual([[1], [], [2]]);
  content.apply({ changes: [{ delete: FOLDER, documentId: `${FOLDER}-2` }] });
  expect([await idsIn('2026'), await idsIn('')]).toEqual([[], [2, 3]]);
});
