import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { article, author, badge, home } from '../changes/content.ts';
import { startSite } from './applied-previews.ts';
import { stopAll } from './running-contents.ts';

/** Changes of a preview are compared with its base, and applied to it. */

afterEach(stopAll);

const title = (documentId: string, text: string, more: object = {}) => ({
  patch: article,
  documentId,
  set: { title: text },
  ...more,
});
const newAuthor = { upsert: author, entry: { documentId: 'eve', name: 'Eve' } };
const firstAdded = 2 ** 51;

test('GET /_contents/NAME says what a content is, over which version, and whether it fits', async () => {
  const { show, send, putPreview, change } = await startSite();
  await putPreview([title('one', 'New'), newAuthor], { lifetime: 60, drafts: true });
  const main = await show('main');
  expect(main).toMatchObject({ name: 'main', error: null, expires: null });
  expect(main).not.toHaveProperty('fit');
  const preview = await show();
  expect(preview).toMatchObject({
    name: 'pr',
    base: 'main',
    drafts: true,
    entries: expect.any(Number),
    expires: expect.stringMatching(/^\d{4}-/),
    baseVersion: expect.stringMatching(/^\d+-0$/),
    ownVersion: expect.stringMatching(/^\d+-0$/),
    changes: 2,
    changeBytes: expect.any(Number),
    fit: { fits: true },
  });
  await change([{ delete: article, documentId: 'one' }], 'main');
  expect(await show()).toMatchObject({
    baseVersion: expect.stringMatching(/-1$/),
    ownVersion: null,
    error: expect.stringContaining('do not fit'),
    fit: { fits: false, count: 1, problems: [expect.stringContaining('changes[0]: no article with documentId "one"')] },
  });
  expect((await send('GET', '/_contents/none')).status).toBe(404);
});

test('a problem of one of several lists names the list', async () => {
  const { show, putPreview, change } = await startSite();
  await putPreview([{ delete: badge, documentId: 'gold' }]);
  await change([title('two', 'New')]);
  await change([{ delete: article, documentId: 'two' }], 'main');
  expect((await show()).fit.problems).toEqual([expect.stringMatching(/^lists\[1\], changes\[0\]: no article/)]);
});

describe('the changes of a preview', () => {
  test('are listed with the difference to the base, as lectern diff words it', async () => {
    const { compare, send, putPreview } = await startSite();
    await putPreview([title('one', 'New'), newAuthor, { delete: article, documentId: 'two' }]);
    const compared = await compare();
    expect(compared).toMatchObject({
      name: 'pr',
      base: 'main',
      changeCount: 3,
      entryCount: 3,
      fit: { fits: true },
      lists: [[{ ...title('one', 'New'), at: expect.any(String) }, newAuthor, { delete: article, documentId: 'two' }]],
      differences: { isEqual: false, types: [], roles: [] },
    });
    const named = compared.differences.entries.map(({ kind, documentId }: any) => `${kind} ${documentId}`);
    expect(named).toEqual(['changed one', 'removed two', 'added eve']);
    expect(compared.differences.entries[0].changes).toContainEqual({
      path: 'title',
      kind: 'value',
      before: 'One',
      after: 'New',
    });
    for (const [query, headers] of [
      ['?format=text', {}],
      ['', { Accept: 'text/plain' }],
    ] as const) {
      const { text } = await send('GET', `/_contents/pr/changes${query}`, undefined, headers);
      expect(text).toContain(
        'api::article.article: 1 removed, 1 changed\n  ~ one (en, published)\n      title: "One" -> "New"',
      );
      expect(text).toContain('+ eve');
    }
  });

  test('are read page by page, and not by wrong parameters', async () => {
    const { compare, send, putPreview, change } = await startSite();
    await putPreview([{ delete: article, documentId: 'two' }]);
    await change([newAuthor, title('one', 'New')]);
    const page = await compare('?limit=1&offset=1');
    expect(page).toMatchObject({ changeCount: 3, entryCount: 3, lists: [[newAuthor]] });
    expect(page.differences.entries).toHaveLength(1);
    for (const query of ['?limit=0', '?limit=10001', '?offset=-1', '?format=xml', '?limit=1&limit=2', '?page=1']) {
      expect((await send('GET', `/_contents/pr/changes${query}`)).status).toBe(400);
    }
    expect((await send('GET', '/_contents/main/changes')).status).toBe(404);
  });

  test('that do not fit have no difference', async () => {
    const { compare, send, putPreview, change } = await startSite();
    await putPreview([title('one', 'New')]);
    await change([{ delete: article, documentId: 'one' }], 'main');
    expect(await compare()).toMatchObject({ differences: null, entryCount: 0, changeCount: 1, fit: { fits: false } });
    const { text } = await send('GET', '/_contents/pr/changes?format=text');
    expect(text).toMatch(/^The preview "pr" does not fit its base:\n {2}changes\[0\]: no article/);
  });

  test('that change nothing are none', async () => {
    const { compare, send, putPreview } = await startSite();
    await putPreview([]);
    expect(await compare()).toMatchObject({ changeCount: 0, lists: [], differences: { isEqual: true, entries: [] } });
    expect((await send('GET', '/_contents/pr/changes?format=text')).text).toBe('The preview "pr" equals its base.\n');
  });
});

describe('apply', () => {
  test('makes all changes to the base, and leaves none in the preview', async () => {
    const { apply, show, read, putPreview, change, compare } = await startSite();
    await putPreview([newAuthor, title('one', 'New', { connect: { author: ['eve'] } })]);
    await change([{ delete: article, documentId: 'two' }]);
    await change([{ upsert: article, entry: { documentId: 'three', locale: 'en', title: 'Three', related: ['one'] } }]);
    const { status, body } = await apply();
    expect([status, body]).toEqual([
      200,
      { version: expect.stringMatching(/^\d+-1$/), sequence: 1, applied: 4, left: 0 },
    ]);
    const [one] = await read(article, 'one');
    expect(one).toMatchObject({ title: 'New', author: 'eve', related: [] });
    expect(await read(article, 'two')).toEqual([]);
    expect(await read(article, 'three')).toMatchObject([{ title: 'Three', related: ['one'] }]);
    expect(await show()).toMatchObject({ changes: 0, baseVersion: body.version, fit: { fits: true } });
    expect((await compare()).differences.isEqual).toBe(true);
    expect(await apply()).toMatchObject({ status: 200, body: { version: body.version, applied: 0, left: 0 } });
  });

  test('makes what the preview shows, whatever its lists delete and add again', async () => {
    const { apply, read, putPreview, change } = await startSite();
    const entry = { documentId: 'two', locale: 'en', title: 'Again', author: 'ada', related: ['one'] };
    await putPreview([{ delete: article, documentId: 'two' }]);
    await change([
      { upsert: article, entry },
      { upsert: badge, entry: { documentId: 'silver', name: 'Silver' } },
    ]);
    await change([title('two', 'Once more'), { delete: badge, documentId: 'silver' }]);
    const shown = await read(article, 'two', 'pr');
    expect((await apply()).body).toMatchObject({ applied: 5, left: 0 });
    expect(await read(article, 'two')).toEqual(shown);
    expect(await read(badge, 'silver')).toEqual([]);
  });

  test('gives ordinary ids to the components that the preview has added', async () => {
    const { apply, read, putPreview, change } = await startSite();
    const add = { cards: [{ component: { text: 'new', author: 'ben', seo: { metaTitle: 'inner' } } }] };
    await putPreview([{ patch: article, documentId: 'one', add }]);
    const [, , added] = (await read(article, 'one', 'pr'))[0].cards;
    expect(added.id).toBeGreaterThanOrEqual(firstAdded);
    const text = { cards: [{ id: added.id, set: { text: 'newer' } }] };
    await change([
      {
        patch: article,
        documentId: 'one',
        components: text,
        move: { cards: [{ id: added.id, position: { start: true } }] },
      },
    ]);
    expect((await apply()).status).toBe(200);
    const [{ cards }] = await read(article, 'one');
    expect(cards.map(({ id }: any) => id)).toEqual([24, 21, 22]);
    expect(cards[0]).toMatchObject({ text: 'newer', author: 'ben', seo: { metaTitle: 'inner' } });
    expect(JSON.stringify(cards)).not.toContain(String(firstAdded).slice(0, 8));
    // later patches find them
    await change([{ patch: article, documentId: 'one', remove: { cards: [24] } }], 'main');
  });

  test('makes the changes of chosen documents, in their order, and leaves the others', async () => {
    const { apply, show, read, putPreview, change, compare } = await startSite();
    await putPreview([title('one', 'New'), title('one', 'Neu', { locale: 'fr' }), title('two', 'Other')]);
    await change([{ delete: article, documentId: 'two' }]);
    await change([newAuthor, title('one', 'Newest')]);
    const chosen = { type: article, documentId: 'one', locale: 'en' };
    expect((await apply({ documents: [chosen] })).body).toMatchObject({ applied: 2, left: 4 });
    const entries = await read(article, 'one');
    expect(entries.map((entry) => entry.title)).toEqual(['Newest', 'One, draft', 'Un']);
    expect(await show()).toMatchObject({ changes: 4, fit: { fits: true } });
    const left = (await compare()).differences.entries.map(({ kind, documentId }: any) => `${kind} ${documentId}`);
    // the first one refers to the second
    expect(left).toEqual(['changed one', 'changed one', 'removed two', 'added eve']);
    expect((await apply()).body).toMatchObject({ applied: 4, left: 0 });
    expect((await read(article, 'one')).map((entry) => entry.title)).toEqual(['Newest', 'One, draft', 'Neu']);
  });

  test('makes the changes of drafts, roles, media and single types', async () => {
    const { apply, read, putPreview, contents } = await startSite();
    const file = 'plugin::upload.file';
    await putPreview([
      title('one', 'Draft', { status: 'draft' }),
      { patch: article, documentId: 'one', locale: 'fr', connect: { cover: ['cover-2'] } },
      {
        upsert: file,
        entry: { documentId: 'cover-2', name: 'new', hash: 'cover_2', ext: '.png', url: '/uploads/cover_2.png' },
      },
      { patch: home, documentId: 'home', set: { title: 'Hello' } },
      { patch: 'plugin::users-permissions.role', documentId: 'editor', set: { permissions: [`${author}.find`] } },
    ]);
    expect((await apply()).body).toMatchObject({ applied: 5, left: 0 });
    const [, draft, french] = await read(article, 'one');
    expect([draft.title, french.cover]).toEqual(['Draft', 'cover-2']);
    expect(await read(home, 'home')).toMatchObject([{ title: 'Hello' }]);
    const { roles } = contents.first.content!.history.loaded;
    expect(roles.find((role) => role.type === 'editor')).toMatchObject({ permissions: [`${author}.find`] });
  });

  test('refuses a chosen entry that refers to a new one that is not chosen, and names both', async () => {
    const { apply, show, putPreview } = await startSite();
    await putPreview([
      newAuthor,
      title('one', 'New', { connect: { author: ['eve'] } }),
      { patch: article, documentId: 'one', components: { cards: [{ id: 21, set: { author: 'eve' } }] } },
    ]);
    const before = await show();
    const { status, body } = await apply({ documents: [{ type: article, documentId: 'one' }] });
    expect([status, body.error.message]).toEqual([
      422,
      `${article} one (en, published) refers to ${author} eve in "author", which the preview adds and which is not chosen: choose both`,
    ]);
    expect(body.error.details).toEqual({
      document: { type: article, documentId: 'one', locale: 'en', status: 'published' },
      attribute: 'author',
      refersTo: { type: author, documentId: 'eve', locale: null, status: null },
    });
    expect(await show()).toEqual({ ...before, age: expect.any(Number) });
    const both = [
      { type: article, documentId: 'one' },
      { type: author, documentId: 'eve' },
    ];
    expect((await apply({ documents: both })).body).toMatchObject({ applied: 3, left: 0 });
  });

  test.each([
    ['has no changes', { type: article, documentId: 'two' }, 'has no changes of the api::article.article "two"'],
    ['is deleted as a whole', { type: badge, documentId: 'gold', status: 'draft' }, 'has no changes'],
    [
      'has an entry of a larger deletion',
      { type: article, documentId: 'one', locale: 'fr' },
      'choose the document without locale',
    ],
  ])('refuses a document that %s', async (_, document, message) => {
    const { apply, putPreview } = await startSite();
    await putPreview([{ delete: article, documentId: 'one' }, newAuthor]);
    const { status, body } = await apply({ documents: [document] });
    expect([status, body.error.message]).toEqual([422, expect.stringContaining(message)]);
  });

  test('refuses a choice without which the others would not fit', async () => {
    const { apply, putPreview, change } = await startSite();
    await putPreview([title('one', 'New', { connect: { related: ['two'] } })]);
    await change([{ delete: article, documentId: 'two' }]);
    const { status, body } = await apply({ documents: [{ type: article, documentId: 'two' }] });
    expect([status, body.error.message]).toEqual([422, expect.stringContaining('would not fit the base')]);
  });

  test('refuses what would be lost, or overwritten by a source', async () => {
    const without = await startSite({ hasJournal: false });
    await without.putPreview([newAuthor]);
    const refused = await without.apply();
    expect([refused.status, refused.body.error.details]).toEqual([409, { setting: 'journal' }]);
    expect(refused.body.error.message).toContain('"withoutJournal": true');
    expect((await without.apply({ withoutJournal: true })).body).toMatchObject({ applied: 1 });
    await stopAll();
    const watched = await startSite({ settings: { watch: true } });
    await watched.putPreview([newAuthor]);
    const { status, body } = await watched.apply();
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('lectern export')]);
  });

  test('changes a base that was put, which has no journal', async () => {
    const { apply, read, ok, folder } = await startSite();
    writeFileSync(join(folder, 'other.json'), JSON.stringify({ things: [{ id: 1, documentId: 'one', title: 'One' }] }));
    await ok('PUT', '/_contents/other', { snapshot: 'other.json' });
    const thing = 'api::thing.thing';
    const changes = [{ patch: thing, documentId: 'one', set: { title: 'New' } }];
    await ok('PUT', '/_contents/pr', { base: 'other', changes });
    expect((await apply()).body.error.details).toEqual({ setting: 'journal' });
    expect((await apply({ withoutJournal: true })).body).toMatchObject({ applied: 1, left: 0 });
    expect(await read(thing, 'one', 'other')).toMatchObject([{ title: 'New' }]);
  });

  test('needs the version of the base that is named, the right tokens and a valid body', async () => {
    const { apply, show, send, putPreview, change } = await startSite();
    await putPreview([newAuthor]);
    const { baseVersion } = await show();
    await change([title('two', 'Other')], 'main');
    const stale = await apply({ previous: baseVersion });
    expect(stale).toMatchObject({ status: 409, body: { error: { details: { previous: baseVersion } } } });
    for (const body of [{ documents: [] }, { documents: [{ type: article }] }, { previous: 'x' }, { other: 1 }, []]) {
      expect((await apply(body)).status).toBe(400);
    }
    expect((await send('POST', '/_contents/main/apply', {})).status).toBe(404);
    expect((await send('GET', '/_contents/pr/apply')).status).toBe(405);
    const { baseVersion: latest } = await show();
    expect((await apply({ previous: latest })).status).toBe(200);
  });

  test('needs both rights', async () => {
    const { sha256 } = await import('../support/guide.ts');
    const tokens = [
      { name: 'one', sha256: sha256('admin'), rights: ['contents'] },
      { name: 'two', sha256: sha256('x'), rights: ['changes'] },
    ];
    const { apply, putPreview } = await startSite({ settings: { admin: { tokens } } });
    await putPreview([newAuthor]);
    expect((await apply()).status).toBe(403);
    expect((await apply({}, { Authorization: 'Bearer x' })).status).toBe(403);
  });

  test('a key that was answered gets that answer again, and nothing is applied twice', async () => {
    const { apply, putPreview, change } = await startSite();
    await putPreview([newAuthor]);
    const headers = { 'Idempotency-Key': 'k' };
    const first = await apply({}, headers);
    await change([title('one', 'New')]);
    expect(await apply({}, headers)).toEqual(first);
    expect((await apply({ withoutJournal: true }, headers)).status).toBe(422);
    expect((await apply()).body).toMatchObject({ applied: 1, sequence: 2 });
  });

  test('refuses what the base has changed since, and names it', async () => {
    const { apply, read, putPreview, change } = await startSite();
    await putPreview([title('one', 'New'), title('two', 'Other')]);
    await change([title('one', 'Meanwhile')], 'main');
    const { status, body } = await apply();
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('/_contents/pr/rebase')]);
    expect(body.error.details).toMatchObject({
      count: 1,
      conflicts: [{ attribute: 'title', before: 'One', base: 'Meanwhile', preview: 'New' }],
    });
    expect((await read(article, 'one'))[0].title).toBe('Meanwhile');
    // other documents can be applied
    expect((await apply({ documents: [{ type: article, documentId: 'two' }] })).body).toMatchObject({
      applied: 1,
      left: 1,
    });
  });

  test('of a pinned base changes its latest version', async () => {
    const { apply, read, send, show, putPreview, change } = await startSite();
    await putPreview([]);
    const { baseVersion } = await show();
    await change([title('two', 'Later')], 'main');
    await send('PUT', '/_pin', { version: baseVersion });
    await change([title('one', 'New')]);
    expect((await apply()).body).toMatchObject({ applied: 1, pinned: baseVersion, sequence: 2 });
    await send('DELETE', '/_pin');
    expect((await read(article, 'one'))[0].title).toBe('New');
    expect((await read(article, 'two'))[0].title).toBe('Later');
  });
});
