import { expect, it } from 'vitest';
import { rewriteTables } from '../../bench/report/documents.ts';

const text = 'before\n<!-- bench means -->\nold\n<!-- end -->\nbetween\n<!-- bench load -->\n<!-- end -->\nafter\n';

it('writes tables between their markers, again and again', () => {
  const tables = { means: '| a |', load: '| $& |' };
  const first = rewriteTables(text, tables, 'x.md');
  expect(first.text).toBe(
    'before\n<!-- bench means -->\n| a |\n<!-- end -->\nbetween\n<!-- bench load -->\n| $& |\n<!-- end -->\nafter\n',
  );
  expect(first.written).toEqual(['means', 'load']);
  expect(rewriteTables(first.text, tables, 'x.md').text).toBe(first.text);
});

it('leaves markers alone that are part of a sentence', () => {
  const mentioned = 'Between `<!-- bench NAME -->` and `<!-- end -->`.\n';
  expect(rewriteTables(mentioned + text, { means: 'm', load: 'l' }, 'x.md').text).toContain(mentioned);
});

it('leaves a table alone that was not measured', () => {
  const { text: rewritten, kept } = rewriteTables(text, { means: null, load: 'new' }, 'x.md');
  expect(rewritten).toContain('old\n<!-- end -->');
  expect(kept).toEqual(['means']);
});

it('refuses unknown names and markers without an end', () => {
  expect(() => rewriteTables(text, { load: '' }, 'x.md')).toThrow('x.md: there is no table "means". Known are load.');
  const unclosed = text.replace('<!-- end -->\nbetween', 'between');
  expect(() => rewriteTables(unclosed, { means: '', load: '' }, 'x.md')).toThrow('"means" has no line <!-- end -->');
  expect(() => rewriteTables('<!-- bench load -->\n', { load: '' }, 'x.md')).toThrow('"load" has no line <!-- end -->');
});
