/** References to entries that do not exist yet in a locale or status are reported, and can be linked later. */
import { expect, test } from 'vitest';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import { PreviewUpdates } from '../../src/content/previews/preview-updates.ts';
import { type Content, type JsonSnapshot, open } from '../../src/index.ts';
import { previewOf } from '../contents/preview-of.ts';
import { newDisk, openJournaled } from '../support/journaled.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const relation = { type: 'relation', relation: 'oneToOne', target: 'api::author.author' };
const snapshot = {
  settings: { locales: ['en', 'fr'].map((code) => ({ code, name: code })) },
  contentTypes: [
    {
      info: { singularName: 'article', pluralName: 'articles' },
      options: { draftAndPublish: true },
      ...localized,
      attributes: {
        author: relation,
        others: { ...relation, relation: 'oneToMany' },
        team: { ...relation, target: 'api::team.team' },
      },
    },
    {
      info: { singularName: 'author', pluralName: 'authors' },
      options: { draftAndPublish: true },
      ...localized,
      attributes: { name: { type: 'string' } },
    },
    { info: { singularName: 'team', pluralName: 'teams' }, attributes: { name: { type: 'string' } } },
  ],
  entries: { author: [{ documentId: 'ada', locale: 'en', name: 'Ada' }], team: [{ documentId: 'red' }] },
} as unknown as JsonSnapshot;

const article = (entry: object, documentId = 'a') => ({
  upsert: 'api::article.article',
  entry: { documentId, ...entry },
});
const author = (entry: object) => ({
  upsert: 'api::author.author',
  entry: { documentId: 'ada', name: 'Ada', ...entry },
});
const none = { unlinked: { count: 0, references: [] } };

const authorOf = (content: Content, query: object) =>
  (content.findOne('articles', 'a', { populate: 'author', ...query })!.data as { author: object | null }).author;

test('a reference to an entry that is missing in a locale or status is returned, and linked when it is sent again', async () => {
  const content = await open(snapshot, { public: true });
  expect(content.apply({ changes: [article({ locale: 'en', author: 'ada', team: 'red' })] })).toEqual(none);
  const french = article({ locale: 'fr', author: 'ada', others: ['ada'], team: 'red' });
  const draft = article({ locale: 'en', status: 'draft', author: 'ada' });
  const missing = { type: 'api::author.author', documentId: 'ada' };
  expect(content.apply({ changes: [french, draft] })).toEqual({
    unlinked: {
      count: 3,
      references: [
        { location: 'changes[0].entry, attribute author', ...missing, status: 'published', locale: 'fr' },
        { location: 'changes[0].entry, attribute others[0]', ...missing, status: 'published', locale: 'fr' },
        { location: 'changes[1].entry, attribute author', ...missing, status: 'draft', locale: 'en' },
      ],
    },
  });
  expect(authorOf(content, { locale: 'fr' })).toBe(null);
  expect(content.apply({ changes: [author({ locale: 'fr' })] })).toEqual(none);
  expect(authorOf(content, { locale: 'fr' })).toBe(null);
  expect(content.apply({ changes: [french] })).toEqual(none);
  expect(authorOf(content, { locale: 'fr' })).toMatchObject({ documentId: 'ada' });
  // in one list, in any order
  expect(content.apply({ changes: [draft, author({ locale: 'en', status: 'draft' })] })).toEqual(none);
  expect(authorOf(content, { locale: 'en', status: 'draft' })).toMatchObject({ documentId: 'ada' });
});

test('the list of references is bounded, and a batch has none', async () => {
  const content = await open(snapshot, { public: true });
  const changes = Array.from({ length: 30 }, (_, i) => article({ locale: 'fr', author: 'ada' }, `a${i}`));
  const { unlinked } = content.apply({ changes });
  expect([unlinked.count, unlinked.references.length]).toEqual([30, 10]);
  expect(unlinked.references[9]).toMatchObject({ location: 'changes[9].entry, attribute author' });
  expect(content.apply({ entities: [], links: [] })).toEqual(none);
});

test('a repeated request gets the same references, after a restart too', async () => {
  const disk = newDisk();
  const request = { previous: null, form: 'changes', given: [article({ locale: 'fr', author: 'ada' })] } as const;
  const key = { key: 'k', digest: 'd' };
  const first = await openJournaled(disk, snapshot);
  const changes = new ChangeWriter(first.content, async () => {}, first.opened);
  const answer = await changes.change(request, key);
  expect(answer).toMatchObject({ sequence: 1, unlinked: { count: 1, references: [{ locale: 'fr' }] } });
  expect(await changes.change(request, key)).toEqual(answer);
  const linked = { ...request, given: [article({ locale: 'en', author: 'ada' })] };
  expect(await changes.change(linked, null)).not.toHaveProperty('unlinked');
  await changes.close();
  const second = await openJournaled(disk, snapshot);
  const again = new ChangeWriter(second.content, async () => {}, second.opened);
  expect(await again.change(request, key)).toEqual(answer);
  await again.close();
});

test('changes of a preview return them, too, and the preview is linked when the reference is sent again', async () => {
  const preview = previewOf(await open(snapshot, { public: true }), []);
  const updates = new PreviewUpdates(preview, async (made) => preview.take(made.changes, made));
  const change = (given: unknown) => updates.change({ previous: null, form: 'changes', given }, null);
  const french = article({ locale: 'fr', author: 'ada' });
  expect(await change([french])).toMatchObject({ unlinked: { count: 1, references: [{ documentId: 'ada' }] } });
  expect(await change([author({ locale: 'fr' })])).not.toHaveProperty('unlinked');
  expect(await change([french])).not.toHaveProperty('unlinked');
  const { content } = await preview.open();
  expect(authorOf(content, { locale: 'fr' })).toMatchObject({ documentId: 'ada' });
});
