// Specification 2.2: a rich-text attribute appears as an array of block objects. A snapshot may hold it as text too.
import { beforeAll, describe, expect, test } from 'vitest';
import { type Content, open } from '../../src/index.ts';
import { ask, idsOf, thingSnapshot } from '../support/guide.ts';

const text = (value: string, marks = {}) => ({ type: 'text', text: value, ...marks });
const blocks = [
  { type: 'heading', level: 2, children: [text('Bread and '), text('butter', { bold: true })] },
  { type: 'paragraph', children: [text('See '), { type: 'link', url: '/x', children: [text('here')] }, text('.')] },
  {
    type: 'list',
    format: 'unordered',
    children: [
      { type: 'list-item', children: [text('one')] },
      { type: 'list', format: 'ordered', children: [{ type: 'list-item', children: [text('two')] }] },
    ],
  },
  { type: 'image', image: { url: '/a.png', alternativeText: 'A loaf' }, children: [text('')] },
];
const entries = [
  { documentId: 'blocks', story: blocks },
  { documentId: 'text', story: 'Plain **text**' },
  { documentId: 'empty', story: [] },
  { documentId: 'none', story: null },
  { documentId: 'paragraph', story: [{ type: 'paragraph', children: [text('Plain **text**')] }] },
];

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  let content: Content;
  beforeAll(async () => {
    content = await open(thingSnapshot({ story: { type: 'richtext' } }, entries), { dialect });
  });
  const things = (query: string) => idsOf(content, '/api/things', query);

  test('blocks are returned as blocks and text as text', async () => {
    const { body } = await ask(content, '/api/things', 'sort=id');
    expect((body.data as { story: unknown }[]).map(({ story }) => story)).toEqual(entries.map(({ story }) => story));
  });

  test.each<[query: string, ids: number[]]>([
    ['filters[story][$contains]=and butter', [1]],
    ['filters[story][$contains]=See here.', [1]],
    ['filters[story][$containsi]=ONE', [1]],
    ['filters[story][$contains]=paragraph', []],
    ['filters[story][$contains]=loaf', []],
    ['filters[story]=Plain **text**', [2, 5]],
    ['filters[story][$startsWith]=Bread', [1]],
    ['filters[story][$eq]=Bread and butter\nSee here.\none\ntwo\n', [1]],
    ['filters[story][$null]=true', [4]],
    ['filters[story][$eq]=', [3]],
    ['filters[story][$notContains]=t', [3]],
    ['_q=here', [1]],
    ['sort=story', [3, 1, 2, 5, 4]],
  ])('%j', async (query, ids) => expect(await things(query)).toEqual(ids));
});
