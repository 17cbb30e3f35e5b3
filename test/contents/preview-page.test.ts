import { afterEach, expect, test } from 'vitest';
import { article } from '../changes/content.ts';
import { blocksOf, pageAt } from '../documents/pages.ts';
import { startSite } from './applied-previews.ts';
import { stopAll } from './running-contents.ts';

/** The replies that docs/previews.md shows have the members of the server's. */

afterEach(stopAll);

/** The keys of objects, at any depth. Of a list, those of its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return '';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

test('the page shows what the server answers', async () => {
  const { path, text } = pageAt('docs/previews.md');
  const section = text.slice(text.indexOf('\n## Read, compare, apply'), text.indexOf('\n## Who may read it'));
  const blocks = blocksOf({ path, text: section }).filter(({ language }) => language === 'json');
  const [shown, compared, applied, conflicts, decision] = blocks.map((block) => JSON.parse(block.text));
  const title = (text: string) => ({ patch: article, documentId: 'one', set: { title: text } });
  const { show, compare, apply, rebase, putPreview, change } = await startSite();
  await putPreview([title('New'), { patch: article, documentId: 'two', set: { title: 'Other' } }]);
  expect(shapeOf(await show())).toEqual(shapeOf(shown));
  const page = await compare('?limit=1');
  // the page shows a folder without a list of files, and a patch
  expect(shapeOf({ ...page, differences: { ...page.differences, uploads: null } })).toEqual(shapeOf(compared));
  expect(shapeOf((await apply({ documents: [{ type: article, documentId: 'two' }] })).body)).toEqual(shapeOf(applied));
  await change([title('Meanwhile')], 'main');
  expect(shapeOf((await rebase()).body)).toEqual(shapeOf(conflicts));
  const { baseVersion: previous } = await show();
  const { status, body } = await rebase({ ...decision, resolve: decision.resolve.slice(0, 1), previous });
  expect([status, Object.keys(body)]).toEqual([200, ['version', 'sequence', 'baseVersion', 'changes', 'taken']]);
});
