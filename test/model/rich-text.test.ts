import { expect, test } from 'vitest';
import { richTextOf } from '../../src/model/schema/value-types.ts';

const text = (value: string) => ({ type: 'text', text: value });
const paragraph = (...children: object[]) => ({ type: 'paragraph', children });

test.each([
  ['no blocks', [], ''],
  ['paragraphs', [paragraph(text('a'), text('b')), paragraph(text('c'))], 'ab\nc'],
  ['the text of a link', [paragraph(text('see '), { type: 'link', url: '/x', children: [text('this')] })], 'see this'],
  ['a list with one line per item', [{ type: 'list', children: [paragraph(text('a')), paragraph(text('b'))] }], 'a\nb'],
  ['children that are not nodes', [{ type: 'paragraph', children: [null, 1, text('a')] }], 'a'],
])('blocks become text: %s', (_, blocks, expected) => {
  expect(richTextOf(blocks)).toBe(expected);
});

test.each([[null], ['text'], [{ type: 'paragraph' }], [{ children: [] }]])('%j is not a block', (value) => {
  expect(richTextOf([paragraph(text('a')), value])).toBeUndefined();
});
