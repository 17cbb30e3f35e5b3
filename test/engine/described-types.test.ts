import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, type JsonSnapshot, open } from '../../src/index.ts';
import { sha256 } from '../support/guide.ts';

/** The read routes of the content-type builder with a JSON snapshot. `conformance/forms.test.ts` has an export. */

const snapshot: JsonSnapshot = {
  contentTypes: [
    {
      info: { singularName: 'dish', pluralName: 'dishes' },
      options: { draftAndPublish: true },
      attributes: {
        name: { type: 'string', required: true },
        cost: { type: 'decimal', private: true },
        picture: { type: 'media', allowedTypes: ['images'] },
        cook: { type: 'relation', relation: 'manyToOne', target: 'api::cook.cook', inversedBy: 'dishes' },
        parts: { type: 'component', component: 'menu.part', repeatable: true },
      },
    },
    {
      kind: 'singleType',
      info: { singularName: 'cook', pluralName: 'cooks', displayName: 'The cook', description: 'Who cooks' },
      attributes: {
        dishes: { type: 'relation', relation: 'oneToMany', target: 'api::dish.dish', mappedBy: 'cook' },
      },
    },
  ],
  components: { 'menu.part': { info: { icon: 'leaf' }, attributes: { label: { type: 'string' } } } },
  roles: [
    { type: 'public', permissions: ['api::dish.dish.find'] },
    { type: 'reader', permissions: ['plugin::content-type-builder.components.getComponents'] },
  ],
};
const permissions = ['plugin::content-type-builder.content-types.getContentType'];

let content: Content;
beforeAll(async () => {
  content = await open(snapshot, {
    tokens: [
      { name: 'full', sha256: sha256('full'), type: 'full-access' },
      { name: 'some', sha256: sha256('some'), type: 'custom', permissions },
      { name: 'reader', sha256: sha256('reader'), type: 'read-only' },
    ],
  });
});

async function ask(path: string, token?: string) {
  const authorization = token && `Bearer ${token}`;
  const { status, headers, body } = await content.answer(`/api/content-type-builder/${path}`, { authorization });
  return { status, headers, ...JSON.parse(body.toString()) };
}

describe('the description of a content type', () => {
  test('has its name, options and attributes', async () => {
    const { data } = await ask('content-types/api::dish.dish', 'full');
    expect(data).toMatchObject({ uid: 'api::dish.dish', apiID: 'dish' });
    expect(data.plugin).toBeUndefined();
    expect(data.schema).toMatchObject({
      draftAndPublish: true,
      displayName: 'dish',
      singularName: 'dish',
      pluralName: 'dishes',
      description: '',
      kind: 'collectionType',
      visible: true,
      restrictRelationsTo: null,
    });
    expect(data.schema.attributes).toEqual({
      name: { type: 'string', required: true },
      cost: { type: 'decimal', private: true },
      picture: { type: 'media', multiple: false, required: false, private: false, allowedTypes: ['images'] },
      cook: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::cook.cook',
        inversedBy: 'dishes',
        targetAttribute: 'dishes',
        required: false,
        private: false,
      },
      parts: { type: 'component', component: 'menu.part', repeatable: true },
    });
  });

  test('is in the list with those of plugins, which can be filtered by kind', async () => {
    const uids = (data: { uid: string }[]) => data.map(({ uid }) => uid);
    const { data } = await ask('content-types', 'full');
    expect(uids(data)).toEqual(expect.arrayContaining(['api::dish.dish', 'api::cook.cook', 'plugin::upload.file']));
    expect(data.find(({ uid }: { uid: string }) => uid === 'plugin::upload.file').plugin).toBe('upload');
    expect(uids((await ask('content-types?kind=singleType', 'full')).data)).toEqual(['api::cook.cook']);
    expect((await ask('content-types?kind[a]=b', 'full')).status).toBe(400);
  });
});

test('the description of a component has its category', async () => {
  expect((await ask('components', 'full')).data).toEqual([
    {
      uid: 'menu.part',
      category: 'menu',
      apiId: 'part',
      schema: { displayName: 'part', description: '', icon: 'leaf', attributes: { label: { type: 'string' } } },
    },
  ]);
});

test('descriptions require full access or the permission for the route', async () => {
  for (const path of ['content-types', 'content-types/api::dish.dish', 'components', 'components/menu.part']) {
    expect((await ask(path)).status, path).toBe(403);
    expect((await ask(path, 'reader')).status, path).toBe(403);
    expect((await ask(path, 'nobody')).status, path).toBe(401);
    expect((await ask(path, 'full')).status, path).toBe(200);
    expect((await ask(path, 'some')).status, path).toBe(path === 'content-types/api::dish.dish' ? 200 : 403);
  }
});

test('descriptions and their errors are never stored in shared caches', async () => {
  expect((await ask('components', 'full')).headers['Cache-Control']).toMatch('private');
  expect((await ask('components/no.such', 'full')).headers['Cache-Control']).toBe('no-store');
});

test('the library does not serve these routes, and explanations do', () => {
  expect(() => content.find('content-type-builder/content-types')).toThrow('No content type is served');
  expect(() => content.findOne('content-type-builder/content-types', 'api::dish.dish')).toThrow('No content type');
  expect(content.explain('/api/content-type-builder/components')).toMatchObject({ status: 200 });
});

test('a content type of a JSON snapshot cannot take the name of the route', async () => {
  const taken = { info: { singularName: 'x', pluralName: 'content-type-builder' }, attributes: {} };
  await expect(open({ contentTypes: [taken] })).rejects.toThrow('content-type-builder');
});
