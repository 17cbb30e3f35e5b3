import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { article, author } from '../changes/content.ts';
import { startSite } from './applied-previews.ts';
import { stopAll } from './running-contents.ts';

/** Changes of a preview are taken over to its base after the base has changed. */

afterEach(stopAll);

const set = (documentId: string, values: object) => ({ patch: article, documentId, set: values });
const one = { type: article, documentId: 'one', locale: 'en', status: 'published' };

/** A preview whose base has changed since. */
async function changedBase(ofPreview: object[], ofBase: object[]) {
  const site = await startSite();
  await site.putPreview(ofPreview);
  await site.change(ofBase, 'main');
  const title = async (name?: string) => (await site.read(article, 'one', name))[0]?.title;
  const conflicts = async (body?: object) => {
    const { status, body: reply } = await site.rebase(body);
    expect(status).toBe(409);
    return reply.error.details.conflicts as Record<string, unknown>[];
  };
  return { ...site, title, conflicts };
}

describe('rebase', () => {
  test('takes over what fits, and the preview can be applied then', async () => {
    const { rebase, apply, read, show } = await changedBase(
      [set('one', { title: 'New' })],
      [set('one', { rating: 5 })],
    );
    const { status, body } = await rebase();
    expect([status, body]).toEqual([
      200,
      {
        version: (await show()).ownVersion,
        sequence: expect.any(Number),
        baseVersion: (await show()).baseVersion,
        changes: 1,
        taken: { base: 0, preview: 0 },
      },
    ]);
    expect((await apply()).status).toBe(200);
    expect(await read(article, 'one')).toMatchObject([{ title: 'New', rating: 5 }, {}, {}]);
  });

  test('keeps what only the base has changed of an entry that the preview upserts', async () => {
    const site = await startSite();
    const [entry] = await site.read(article, 'one');
    await site.putPreview([{ upsert: article, entry: { ...entry, title: 'New' } }]);
    const changed = { rating: 5, author: 'ben', cards: [{ text: 'only' }] };
    await site.change([set('one', changed)], 'main');
    expect((await site.apply()).status).toBe(409);
    expect((await site.rebase()).body).toMatchObject({ taken: { base: 0, preview: 0 }, changes: 1 });
    expect((await site.apply()).status).toBe(200);
    const [after] = await site.read(article, 'one');
    expect(after).toMatchObject({
      title: 'New',
      rating: 5,
      author: 'ben',
      cards: [{ text: 'only' }],
      related: ['two'],
    });
  });

  test.each([
    ['base', 'Meanwhile', 0],
    ['preview', 'New', 1],
  ] as const)('names what both have changed, and decides for the %s', async (take, expected, changes) => {
    const { rebase, title, conflicts, show, apply } = await changedBase(
      [set('one', { title: 'New' })],
      [set('one', { title: 'Meanwhile' })],
    );
    const before = await show();
    expect(await conflicts()).toEqual([
      {
        ...one,
        kind: 'changed',
        attribute: 'title',
        before: 'One',
        base: 'Meanwhile',
        preview: 'New',
        message: 'one (en, published): the base has changed "title" since, and the preview has changed it too',
      },
    ]);
    expect(await show()).toEqual({ ...before, age: expect.any(Number) });
    const counts = { base: 0, preview: 0, [take]: 1 };
    expect((await rebase({ resolve: take })).body).toMatchObject({ changes, taken: counts });
    expect(await title('pr')).toBe(expected);
    expect((await rebase()).status).toBe(200);
    expect((await apply()).body).toMatchObject({ applied: changes });
    expect(await title()).toBe(expected);
  });

  test('decides each conflict by a list, in which the most exact resolution counts', async () => {
    const { rebase, read } = await changedBase(
      [set('one', { title: 'New', rating: 1, author: 'ada', cover: null })],
      [set('one', { title: 'Meanwhile', rating: 5, author: 'ben' })],
    );
    const resolve = [
      { type: article, documentId: 'one', take: 'preview' },
      { ...one, attribute: 'rating', take: 'base' },
    ];
    const wrong = await rebase({ resolve: [...resolve, { ...one, attribute: 'cover', take: 'base' }] });
    expect([wrong.status, wrong.body.error.message]).toEqual([422, expect.stringContaining('"cover"')]);
    // the author is as it was before in the preview, so that the base counts
    expect((await rebase({ resolve })).body).toMatchObject({ taken: { base: 1, preview: 1 } });
    expect((await read(article, 'one', 'pr'))[0]).toMatchObject({
      title: 'New',
      rating: 5,
      author: 'ben',
      cover: null,
    });
  });

  test('is no conflict where both have made the same change', async () => {
    const change = set('one', { title: 'Same', related: [] });
    const { rebase, apply } = await changedBase([change], [change]);
    expect((await rebase()).body).toMatchObject({ taken: { base: 0, preview: 0 } });
    expect((await apply()).status).toBe(200);
  });

  test('names entries and components that are gone', async () => {
    const { rebase, conflicts, read } = await changedBase(
      [
        set('two', { title: 'New' }),
        {
          patch: article,
          documentId: 'one',
          set: { rating: 1 },
          components: { cards: [{ id: 21, set: { text: 'x' } }] },
        },
      ],
      [
        { delete: article, documentId: 'two' },
        { patch: article, documentId: 'one', remove: { cards: [21] } },
      ],
    );
    expect(await conflicts()).toEqual([
      expect.objectContaining({ documentId: 'two', kind: 'gone', attribute: null }),
      expect.objectContaining({
        documentId: 'one',
        kind: 'unfit',
        attribute: 'cards',
        base: [expect.objectContaining({ text: 'b' })],
        message: expect.stringContaining('no component with id 21'),
      }),
    ]);
    const kept = await rebase({ resolve: 'preview' });
    expect([kept.status, kept.body.error.message]).toEqual([422, expect.stringContaining('cannot win')]);
    expect((await rebase({ resolve: 'base' })).body).toMatchObject({ changes: 1, taken: { base: 2, preview: 0 } });
    expect((await read(article, 'one', 'pr'))[0]).toMatchObject({ rating: 1, cards: [{ text: 'b' }] });
  });

  test('keeps an upsert of an entry that is gone, if the preview wins', async () => {
    const entry = { documentId: 'two', locale: 'en', title: 'New' };
    const { rebase, conflicts, apply, read } = await changedBase(
      [{ upsert: article, entry }],
      [{ delete: article, documentId: 'two' }],
    );
    expect(await conflicts()).toMatchObject([{ documentId: 'two', kind: 'gone' }]);
    expect((await apply()).status).toBe(409);
    expect((await rebase({ resolve: 'preview' })).body).toMatchObject({ changes: 1 });
    expect((await apply()).status).toBe(200);
    expect(await read(article, 'two')).toMatchObject([{ title: 'New' }]);
  });

  test('names changes of an entry that the preview deletes', async () => {
    const { rebase, conflicts, read } = await changedBase(
      [{ delete: article, documentId: 'two' }],
      [
        set('two', { title: 'Meanwhile' }),
        { upsert: article, entry: { documentId: 'two', locale: 'fr', title: 'Deux' } },
      ],
    );
    expect(await conflicts()).toMatchObject([
      { documentId: 'two', locale: 'en', attribute: 'title', before: 'Two', base: 'Meanwhile', preview: null },
      { documentId: 'two', locale: 'fr', attribute: null },
    ]);
    expect((await rebase({ resolve: 'base' })).body).toMatchObject({ changes: 0 });
    expect(await read(article, 'two', 'pr')).toHaveLength(2);
  });

  test('drops the deletion of what the base has deleted, too', async () => {
    const deletion = { delete: article, documentId: 'two' };
    const { rebase, show } = await changedBase([deletion, set('one', { title: 'New' })], [deletion]);
    expect((await show()).fit.fits).toBe(false);
    expect((await rebase()).body).toMatchObject({ changes: 1, taken: { base: 0, preview: 0 } });
    expect((await show()).fit.fits).toBe(true);
  });

  test('names an entry that both have added', async () => {
    const entry = (name: string) => ({ upsert: author, entry: { documentId: 'eve', name } });
    const { rebase, conflicts, read } = await changedBase([entry('Eve')], [entry('Eva')]);
    expect(await conflicts()).toMatchObject([
      { documentId: 'eve', attribute: 'name', before: null, base: 'Eva', preview: 'Eve' },
    ]);
    await rebase({ resolve: 'base' });
    expect(await read(author, 'eve', 'pr')).toMatchObject([{ name: 'Eva' }]);
  });

  test('compares long values, and says no more about them than it knows', async () => {
    const long = 'x'.repeat(1000);
    const site = await startSite();
    await site.change([set('one', { title: long })], 'main');
    await site.putPreview([set('one', { title: 'New' })]);
    expect((await site.rebase()).status).toBe(200);
    await site.change([set('one', { title: 'Short' })], 'main');
    const { body } = await site.rebase();
    expect(body.error.details.conflicts).toMatchObject([{ base: 'Short', preview: 'New' }]);
    expect(body.error.details.conflicts[0]).not.toHaveProperty('before');
  });

  test('needs the version of the base that is named, and a valid body', async () => {
    const { rebase, show } = await changedBase([], [set('one', { rating: 5 })]);
    expect((await rebase({ previous: '1-1' })).status).toBe(409);
    for (const body of [{ resolve: 'both' }, { resolve: [{ take: 'base' }] }, { take: 'base' }]) {
      expect((await rebase(body)).status).toBe(400);
    }
    expect((await rebase({ previous: (await show()).baseVersion })).status).toBe(200);
  });
});

test('changes that an earlier version of Lectern has kept conflict only if they do not fit', async () => {
  const before = await startSite();
  await before.putPreview([{ delete: article, documentId: 'two' }]);
  await before.change([set('one', { title: 'New' })]);
  const { preview } = before.contents.get('pr')!;
  const path = join(before.folder, preview!.put.snapshot);
  const { known: _, answered: __, ...old } = JSON.parse(readFileSync(path, 'utf8'));
  await stopAll();
  writeFileSync(path, JSON.stringify(old));
  const site = await startSite({ folder: before.folder });
  await site.change([set('one', { rating: 1 })]);
  await site.change([set('one', { title: 'Meanwhile' }), set('two', { title: 'Meanwhile' })], 'main');
  expect((await site.apply({ documents: [{ type: article, documentId: 'two' }] })).status).toBe(200);
  expect((await site.rebase()).body).toMatchObject({ changes: 1, taken: { base: 0, preview: 0 } });
  // from now on, it is known
  await site.change([set('one', { title: 'Later' })], 'main');
  expect((await site.apply()).status).toBe(409);
});
