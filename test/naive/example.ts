import { evaluate } from './evaluate.ts';
import { type Dialect, features, type Request, type Snapshot } from './snapshot.ts';
import { buildWorld } from './world.ts';

/** Hand-written content and expectations: they test the naive evaluator itself. */
export const exampleSnapshot: Snapshot = {
  settings: {
    defaultLocale: 'en',
    locales: [
      { code: 'en', name: 'English' },
      { code: 'fr', name: 'French' },
    ],
  },
  contentTypes: [
    {
      info: { singularName: 'book', pluralName: 'books', displayName: 'Book' },
      options: { draftAndPublish: true },
      attributes: {
        title: { type: 'string' },
        pages: { type: 'integer' },
        sold: { type: 'biginteger' },
        printed: { type: 'date' },
        opens: { type: 'time' },
        note: { type: 'string', private: true },
        pin: { type: 'password' },
        author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'books' },
        tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag', inversedBy: 'books' },
        seo: { type: 'component', component: 'shared.seo', repeatable: false },
        cover: { type: 'media', multiple: false },
        zone: { type: 'dynamiczone', components: ['shared.seo', 'shared.quote'] },
        about: { type: 'relation', relation: 'morphToOne' },
      },
    },
    {
      info: { singularName: 'author', pluralName: 'authors', displayName: 'Author' },
      attributes: {
        name: { type: 'string' },
        books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'author' },
        mentor: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'pupils' },
        pupils: { type: 'relation', relation: 'oneToMany', target: 'api::author.author', mappedBy: 'mentor' },
      },
    },
    {
      info: { singularName: 'tag', pluralName: 'tags', displayName: 'Tag' },
      pluginOptions: { i18n: { localized: true } },
      attributes: {
        label: { type: 'string' },
        rank: { type: 'integer' },
        books: { type: 'relation', relation: 'manyToMany', target: 'api::book.book', mappedBy: 'tags' },
      },
    },
    {
      kind: 'singleType',
      info: { singularName: 'home', pluralName: 'homes', displayName: 'Home' },
      attributes: { headline: { type: 'string' } },
    },
  ],
  components: {
    'shared.seo': { attributes: { word: { type: 'string' }, image: { type: 'media', multiple: false } } },
    'shared.quote': {
      attributes: {
        text: { type: 'text' },
        by: { type: 'relation', relation: 'oneToOne', target: 'api::author.author' },
      },
    },
  },
  entries: {
    file: [{ documentId: 'pic', name: 'pic.png', hash: 'h', mime: 'image/png', size: 1.5, url: '/p', provider: 'x' }],
    author: [
      { id: 1, documentId: 'ada', name: 'Ada', createdAt: '2020-01-01T00:00:00.000Z' },
      { id: 2, documentId: 'bob', name: 'İris', mentor: 'ada' },
      { id: 3, documentId: 'cyd', name: null, mentor: 'bob' },
    ],
    tag: [
      { id: 1, documentId: 'news', label: 'News', rank: 1 },
      { id: 2, documentId: 'news', locale: 'fr', label: 'Nouvelles', rank: 9 },
      { id: 3, documentId: 'art', label: 'Art', rank: 3 },
    ],
    book: [
      {
        id: 10,
        documentId: 'one',
        title: 'One',
        pages: 100,
        sold: '9007199254740993',
        printed: '1969-12-31',
        opens: '12:30:00',
        note: 'hidden',
        pin: '1234',
        author: 'ada',
        tags: ['art', 'news'],
        seo: { id: 1, word: 'a%b', image: 'pic' },
        cover: 'pic',
        zone: [
          { __component: 'shared.quote', id: 1, text: 'so', by: 'bob' },
          { __component: 'shared.seo', id: 2, word: 'zone' },
        ],
        about: { __type: 'api::author.author', documentId: 'bob' },
      },
      { id: 11, documentId: 'one', status: 'draft', title: 'One, again', pages: 120, author: 'bob' },
      {
        id: 12,
        documentId: 'two',
        title: '\u{1F355}',
        pages: 50,
        sold: '9007199254740992',
        author: 'bob',
        tags: ['art'],
      },
      { id: 13, documentId: 'six', title: '\uFF21', pages: null, opens: '08:00:00.125' },
    ],
    home: [{ id: 1, documentId: 'home', headline: 'Hello' }],
  },
  roles: [
    { type: 'public', permissions: ['api::book.book.find', 'plugin::upload.content-api.find'] },
    { type: 'reader', permissions: ['api::book.book.find', 'api::author.author.find', 'api::author.author.findOne'] },
  ],
};
const world = buildWorld(exampleSnapshot);
const worldOfFeatures = buildWorld(exampleSnapshot, 'postgres', features);

/** The reply to a read of the example. */
export function ask(request: Request, dialect: Dialect = 'document') {
  return evaluate(world, dialect, request) as { status: number; body: { data: any; meta: any } };
}

/** The same with every feature switched on. */
export function askWithFeatures(request: Request, dialect: Dialect = 'document') {
  return evaluate(worldOfFeatures, dialect, request) as { status: number; body: { data: any; meta: any } };
}
