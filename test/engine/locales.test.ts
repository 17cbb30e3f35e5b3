import { describe, expect, test } from 'vitest';
import { type JsonSnapshot, open } from '../../src/index.ts';
import { ask } from '../support/guide.ts';

const snapshot: JsonSnapshot = {
  settings: { defaultLocale: 'fr', locales: [{ code: 'en', name: 'English' }, { code: 'fr' }] },
  contentTypes: [{ info: { singularName: 'note', pluralName: 'notes' }, attributes: { text: { type: 'string' } } }],
  roles: [{ type: 'public', permissions: ['plugin::i18n.locales.listLocales'] }],
};

const nothing = { createdAt: null, updatedAt: null, publishedAt: null };

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test('the locales of a JSON snapshot are listed, whatever the query', async () => {
    const content = await open(snapshot, { dialect });
    const { status, body } = await ask(content, '/api/i18n/locales', 'sort=code:desc&pagination[limit]=1');
    expect(status).toBe(200);
    expect(body).toEqual([
      { id: 1, documentId: 'en', name: 'English', code: 'en', ...nothing, isDefault: false },
      { id: 2, documentId: 'fr', name: 'fr', code: 'fr', ...nothing, isDefault: true },
    ]);
  });

  test('a snapshot without settings has one locale', async () => {
    const { settings: _, ...bare } = snapshot;
    const { body } = await ask(await open(bare, { dialect }), '/api/i18n/locales');
    expect(body).toEqual([{ id: 1, documentId: 'en', name: 'en', code: 'en', ...nothing, isDefault: true }]);
  });

  test('listing locales requires a permission', async () => {
    const content = await open({ ...snapshot, roles: [] }, { dialect });
    expect((await ask(content, '/api/i18n/locales')).status).toBe(403);
  });
});

test('a component may have a relation called localizations', async () => {
  const content = await open({
    contentTypes: [
      {
        info: { singularName: 'thing', pluralName: 'things' },
        attributes: { part: { type: 'component', component: 'shared.part' } },
      },
    ],
    components: {
      'shared.part': {
        attributes: { localizations: { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing' } },
      },
    },
    entries: { thing: [{ documentId: 'a', part: { localizations: ['b', 'a'] } }, { documentId: 'b' }] },
    roles: [{ type: 'public', permissions: ['api::thing.thing.find'] }],
  } as never);
  const { body } = await ask(content, '/api/things', 'populate[part][populate]=localizations&sort=id');
  const [{ part }] = body.data as { part: { localizations: { documentId: string }[] } }[];
  expect(part.localizations.map(({ documentId }) => documentId)).toEqual(['b', 'a']);
});
