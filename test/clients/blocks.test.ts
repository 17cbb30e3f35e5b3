import { BlocksRenderer } from '@strapi/blocks-react-renderer';
import { type ComponentProps, createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { open } from '../../src/index.ts';
import { openGazette } from '../conformance/gazette.ts';

/** Served rich text (`blocks`) becomes HTML in the official renderer. */

type Blocks = ComponentProps<typeof BlocksRenderer>['content'];

function html(content: Blocks): string {
  return renderToStaticMarkup(createElement(BlocksRenderer, { content }));
}

describe('the body of an article of the gazette', () => {
  test.each([
    [
      'heading, list',
      'yrc075my9hb4lox86v6h4h4p',
      'en',
      '<h3><strong>yarrow tide yarrow</strong></h3><ul><li>dune</li></ul>',
    ],
    [
      'list, heading, list',
      'drhv7gme7blnxs6znmpu0jes',
      'en',
      '<ul><li>tide</li></ul><h2><strong>fjord Juniper larch</strong></h2><ul><li>olive willow Nettle</li></ul>',
    ],
    [
      'paragraph, headings',
      'drhv7gme7blnxs6znmpu0jes',
      'de',
      '<p>zest tide Juniper reed pine umber cedar Juniper</p>' +
        '<h1><strong>cedar moss vale</strong></h1><h2><strong>zest Juniper</strong></h2>',
    ],
  ])('%s', async (_, documentId, locale, expected) => {
    const content = await openGazette();
    const { body, status } = await content.answer(`/api/articles/${documentId}?fields=body&locale=${locale}`);
    expect(status).toBe(200);
    expect(html(JSON.parse(body.toString('utf8')).data.body)).toBe(expected);
  });
});

describe('blocks of every kind', () => {
  const text = (words: string, modifiers: object = {}) => ({ type: 'text', text: words, ...modifiers });
  const item = (...children: object[]) => ({ type: 'list-item', children });
  const image = { name: 'harbour.jpg', alternativeText: 'The “old” harbour', url: '/uploads/harbour.jpg', width: 1 };
  const body = [
    { type: 'heading', level: 1, children: [text('Fish & chips <daily>')] },
    {
      type: 'paragraph',
      children: [
        text('one\ntwo '),
        text('all', { bold: true, italic: true, underline: true, strikethrough: true, code: true }),
        { type: 'link', url: 'https://example.org/?a=1&b=2', children: [text('a '), text('link', { italic: true })] },
      ],
    },
    { type: 'paragraph', children: [text('')] },
    { type: 'quote', children: [text('日本語 🍕')] },
    { type: 'code', language: 'js', children: [text('if (a < b) {\n  c();\n}')] },
    {
      type: 'list',
      format: 'ordered',
      children: [
        item(text('first')),
        { type: 'list', format: 'unordered', indentLevel: 1, children: [item(text('inner', { bold: false }))] },
      ],
    },
    { type: 'image', image, children: [text('')] },
  ];
  const expected = [
    // React's own hint to the browser, for the image below
    '<link rel="preload" as="image" href="/uploads/harbour.jpg"/>',
    '<h1>Fish &amp; chips &lt;daily&gt;</h1>',
    '<p>one<br/>two <code><del><u><em><strong>all</strong></em></u></del></code>',
    '<a href="https://example.org/?a=1&amp;b=2">a <em>link</em></a></p>',
    '<br/>',
    '<blockquote>日本語 🍕</blockquote>',
    '<pre><code>if (a &lt; b) {\n  c();\n}</code></pre>',
    '<ol><li>first</li><ul><li>inner</li></ul></ol>',
    '<img src="/uploads/harbour.jpg" alt="The “old” harbour"/>',
  ].join('');

  test('are rendered alone and in a component', async () => {
    const content = await open({
      contentTypes: [
        {
          info: { singularName: 'page', pluralName: 'pages' },
          attributes: {
            body: { type: 'blocks' },
            aside: { type: 'component', component: 'shared.aside' },
          },
        },
      ],
      components: { 'shared.aside': { attributes: { body: { type: 'blocks' } } } },
      entries: { page: [{ documentId: 'a', body, aside: { body } }] },
    });
    const [page] = content.find('pages', { populate: 'aside' }).data;
    expect(html(page.body)).toBe(expected);
    expect(html(page.aside.body)).toBe(expected);
  });
});
