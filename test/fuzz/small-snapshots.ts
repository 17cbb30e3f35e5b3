/** Two small snapshots of the same content, as files by name: a JSON snapshot and the files of an export. */

export type Files = Map<string, Buffer>;

const localized = { i18n: { localized: true } };
const note = {
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes' },
  options: { draftAndPublish: true },
  pluginOptions: localized,
  attributes: {
    title: { type: 'string' },
    count: { type: 'integer' },
    total: { type: 'biginteger' },
    rate: { type: 'float' },
    day: { type: 'date' },
    at: { type: 'datetime' },
    done: { type: 'boolean' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    extra: { type: 'json' },
    secret: { type: 'string', private: true },
    writer: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer', inversedBy: 'notes' },
    near: { type: 'relation', relation: 'manyToMany', target: 'api::note.note' },
    about: { type: 'relation', relation: 'morphToOne' },
    link: { type: 'component', component: 'part.link', repeatable: true },
    zone: { type: 'dynamiczone', components: ['part.link'] },
  },
};
const writer = {
  info: { singularName: 'writer', pluralName: 'writers' },
  attributes: {
    name: { type: 'string' },
    notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'writer' },
  },
};
const link = {
  attributes: { url: { type: 'string' }, to: { type: 'relation', relation: 'oneToOne', target: 'api::writer.writer' } },
};

const values = (i: number) => ({
  title: `Note ${i} ä 🍕`,
  count: i,
  total: '9007199254740993',
  rate: 0.5,
  day: '2020-02-29',
  at: '2020-02-29T12:00:00.000Z',
  done: i % 2 === 0,
  kind: 'a',
  extra: { deep: [1, { x: null }] },
  secret: 'sesame',
});

export function jsonSnapshot(): Files {
  const notes = Array.from({ length: 6 }, (_, i) => ({
    documentId: `n${i}`,
    ...values(i),
    ...(i === 5 ? { status: 'draft' } : {}),
    ...(i === 4 ? { locale: 'fr' } : {}),
    writer: `w${i % 2}`,
    near: ['n0', 'n1'],
    about: { __type: 'api::writer.writer', documentId: 'w0' },
    link: [{ url: '/a', to: 'w1' }],
    zone: [{ __component: 'part.link', url: '/b' }],
  }));
  const writers = ['w0', 'w1'].map((documentId) => ({ documentId, name: documentId }));
  const roles = [{ type: 'public', permissions: ['api::note.note.find', 'api::writer.writer.find'] }];
  return filesOf({
    'snapshot.json': { defaultLocale: 'en', locales: [{ code: 'en' }, { code: 'fr' }] },
    'roles.json': roles,
    'content-types/note.json': note,
    'content-types/writer.json': writer,
    'components/part/link.json': link,
    'entries/note.json': notes,
    'entries/writer.json': writers,
  });
}

function filesOf(contents: Record<string, unknown>): Files {
  return new Map(Object.entries(contents).map(([name, value]) => [name, Buffer.from(JSON.stringify(value, null, 1))]));
}

export function exportSnapshot(): Files {
  const lines = (list: object[]) => Buffer.from(`${list.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const schema = (uid: string, definition: object, modelType = 'contentType') => ({ uid, modelType, ...definition });
  const role = 'plugin::users-permissions.role';
  const permission = 'plugin::users-permissions.permission';
  const stamp = '2020-01-01T00:00:00.000Z';
  const link_ = (left: object, right: object) => ({ kind: 'relation.basic', relation: 'manyToOne', left, right });
  return new Map([
    ['metadata.json', Buffer.from('{"strapi":{"version":"5.54.0"}}')],
    [
      'schemas/schemas_00001.jsonl',
      lines([
        schema('api::note.note', note),
        schema('api::writer.writer', writer),
        schema('part.link', link, 'component'),
        schema(role, {
          info: { singularName: 'role', pluralName: 'roles' },
          attributes: { name: { type: 'string' }, type: { type: 'string' } },
        }),
        schema(permission, {
          info: { singularName: 'permission', pluralName: 'permissions' },
          attributes: { action: { type: 'string' }, role: { type: 'relation', relation: 'manyToOne', target: role } },
        }),
      ]),
    ],
    [
      'entities/entities_00001.jsonl',
      lines([
        ...Array.from({ length: 6 }, (_, i) => ({
          type: 'api::note.note',
          id: i + 1,
          data: {
            documentId: `n${i}`,
            ...values(i),
            locale: 'en',
            publishedAt: i === 5 ? null : stamp,
            createdAt: stamp,
            link: [{ id: i + 1, url: '/a' }],
          },
        })),
        ...[1, 2].map((id) => ({ type: 'api::writer.writer', id, data: { documentId: `w${id}`, name: `w${id}` } })),
        { type: role, id: 1, data: { documentId: 'r1', name: 'Public', type: 'public' } },
        { type: permission, id: 1, data: { documentId: 'p1', action: 'api::note.note.find' } },
      ]),
    ],
    [
      'links/links_00001.jsonl',
      lines([
        ...[1, 2, 3].map((ref) =>
          link_(
            { type: 'api::note.note', ref, field: 'writer' },
            { type: 'api::writer.writer', ref: 1 + (ref % 2), field: 'notes', pos: ref },
          ),
        ),
        link_({ type: permission, ref: 1, field: 'role' }, { type: role, ref: 1 }),
      ]),
    ],
    [
      'configuration/configuration_00001.jsonl',
      lines([{ type: 'core-store', value: { key: 'plugin_i18n_default_locale', value: '"en"' } }]),
    ],
  ]);
}
