import { expect, test } from 'vitest';
import { ExplorerPage } from './support/explorer-page.ts';
import { Keyboard } from './support/keyboard.ts';
import { fullAccess, serveDemo } from './support/serving.ts';
import { connectBrowser } from './support/watched-page.ts';

/** Twelve journeys by keyboard alone. Each ends at a URL that the line shows, and at its reply. */

connectBrowser();
const demo = serveDemo();

async function start(url?: string, search?: string) {
  const explorer = await ExplorerPage.open(demo.origin, { url, search });
  return { explorer, page: explorer.page, keyboard: new Keyboard(explorer.page) };
}

/** What the server answers to a URL below the prefix. */
async function answer(url: string, token?: string): Promise<any> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return (await fetch(`${demo.origin}/api/${url}`, { headers })).json();
}

async function totalOf(url: string, token?: string): Promise<number> {
  return (await answer(url, token)).meta.pagination.total;
}

test('opens a type, and leaves out a field', async () => {
  const { explorer, page, keyboard } = await start();
  await keyboard.use(explorer.types.getByRole('button', { name: 'Author', exact: true }), 'Enter');
  await explorer.shows('/api/authors');
  expect(await explorer.total()).toBe(await totalOf('authors'));
  const columns = await page.getByRole('columnheader').allInnerTexts();
  const field = page.getByRole('checkbox', { name: /^name / });
  await keyboard.use(field, 'Space');
  await explorer.settled();
  expect(await explorer.url()).toMatch(/^\/api\/authors\?fields=/);
  expect(await explorer.url()).not.toMatch(/[=,]name\b/);
  expect(await page.getByRole('columnheader').count()).toBe(columns.length - 1);
});

test('populates a relation, and a field of it', async () => {
  const { explorer, page, keyboard } = await start('articles?fields=title&pagination[pageSize]=10');
  await keyboard.use(page.getByRole('button', { name: 'Open author' }), 'Enter');
  await explorer.settled();
  expect(await explorer.url()).toMatch(/populate\[author\]=true|populate(\[0\])?=author/);
  const tree = page.getByRole('list', { name: 'Attributes of author' });
  await keyboard.use(tree.locator('..').getByRole('button', { name: 'none' }), 'Enter');
  await keyboard.use(tree.getByRole('checkbox', { name: /^name / }), 'Space');
  await explorer.settled();
  const url = await explorer.url();
  expect(decodeURIComponent(url)).toMatch(/populate\[author\]\[fields\](\[\d\])?=(id,)?name/);
  const { data } = await answer(url.slice('/api/'.length));
  expect(Object.keys(data[0].author).toSorted()).toEqual(['documentId', 'id', 'name']);
  expect(await explorer.column('author')).toContain(data[0].author.name);
});

test('adds a filter with a value that is offered', async () => {
  const { explorer, page, keyboard } = await start('articles');
  const tree = page.getByRole('list', { name: 'Attributes of Article' });
  await keyboard.use(tree.getByRole('button', { name: 'Filter by kind', exact: true }), 'Enter');
  const box = page.getByRole('group', { name: 'Filter on kind' }).getByRole('combobox', { name: 'Value' });
  await keyboard.tabTo(box);
  // its count comes later
  const offer = page.getByRole('option', { name: /^review.*\d/ });
  await offer.waitFor();
  const count = Number((await offer.innerText()).replace(/\D/g, ''));
  await page.keyboard.type('revi');
  await keyboard.press('ArrowDown', 'Enter');
  await explorer.shows('/api/articles?filters[kind][$eq]=review');
  expect(await explorer.total()).toBe(count);
  expect(count).toBe(await totalOf('articles?filters[kind][$eq]=review'));
});

test('filters deep through a relation, and changes the operator', async () => {
  const { explorer, page, keyboard } = await start('articles');
  await keyboard.use(page.getByRole('button', { name: '+ Filter' }), 'Enter');
  const chip = (name: string) => page.getByRole('group', { name: `Filter on ${name}`, exact: true });
  await keyboard.choose(chip('title').getByRole('combobox', { name: 'Attribute', exact: true }), 'author');
  await keyboard.choose(chip('author.name').getByRole('combobox', { name: 'Operator' }), '$startsWith');
  await keyboard.tabTo(chip('author.name').getByRole('combobox', { name: 'Value' }));
  await page.keyboard.type('S');
  await keyboard.press('Enter');
  await explorer.shows('/api/articles?filters[author][name][$startsWith]=S');
  const first = await totalOf('articles?filters[author][name][$startsWith]=S');
  expect(await explorer.total()).toBe(first);
  await keyboard.choose(chip('author.name').getByRole('combobox', { name: 'Operator' }), '$notContains');
  await explorer.shows('/api/articles?filters[author][name][$notContains]=S');
  expect(await explorer.total()).toBe(await totalOf('articles?filters[author][name][$notContains]=S'));
  expect(await explorer.total()).not.toBe(first);
});

test('finds one of two alternatives', async () => {
  const { explorer, page, keyboard } = await start('articles?filters[kind][$eq]=essay');
  await keyboard.use(page.getByRole('button', { name: /^or: an alternative/ }), 'Enter');
  const group = page.getByRole('group', { name: 'Group $or' });
  await keyboard.tabTo(group.getByRole('combobox', { name: 'Value' }).last());
  await page.keyboard.type('letter');
  await keyboard.press('Enter');
  await explorer.shows('/api/articles?filters[$or][0][kind][$eq]=essay&filters[$or][1][kind][$eq]=letter');
  expect(await explorer.total()).toBe(
    await totalOf('articles?filters[kind][$in][0]=essay&filters[kind][$in][1]=letter'),
  );
});

test('sorts by two keys', async () => {
  const { explorer, page, keyboard } = await start('articles?fields=kind,reading');
  await keyboard.use(page.getByRole('button', { name: '+ Sort' }), 'Enter', 'Enter');
  const chips = page.getByRole('group', { name: /^Sort by/ });
  await chips.nth(1).waitFor();
  await keyboard.tabTo(chips.nth(0).getByRole('combobox', { name: 'Sort by' }));
  await keyboard.choose(chips.nth(0).getByRole('combobox', { name: 'Sort by' }), 'kind');
  await keyboard.choose(chips.nth(1).getByRole('combobox', { name: 'Sort by' }), 'reading');
  await keyboard.use(chips.nth(1).getByRole('button', { name: /asc/ }), 'Enter');
  await explorer.settled();
  const { data } = await answer('articles?fields=kind,reading&sort=kind,reading:desc');
  expect(await explorer.url()).toBe('/api/articles?sort=kind,reading:desc&fields=kind,reading');
  const shown = (await explorer.column('reading')).slice(0, 10);
  expect(shown).toEqual(data.slice(0, 10).map(({ reading }: { reading: number }) => String(reading)));
});

test('turns pages and changes their size', async () => {
  const { explorer, page, keyboard } = await start('articles');
  await keyboard.use(page.getByRole('button', { name: 'Next page' }), 'Enter');
  await explorer.shows('/api/articles?pagination[page]=2');
  const { data } = await answer('articles?pagination[page]=2');
  expect((await explorer.column('documentId'))[0]).toBe(data[0].documentId);
  await keyboard.choose(page.getByRole('combobox', { name: 'per page' }), '10');
  await explorer.shows('/api/articles?pagination[pageSize]=10');
  expect(await explorer.column('documentId')).toHaveLength(10);
});

test('reads drafts in another locale with a token', async () => {
  const { explorer, page, keyboard } = await start('articles');
  await keyboard.tabTo(page.getByLabel('Token', { exact: true }));
  await page.keyboard.type(fullAccess);
  await keyboard.press('Enter');
  await explorer.settled();
  await keyboard.choose(page.getByRole('combobox', { name: 'Status' }), 'draft');
  await keyboard.choose(page.getByRole('combobox', { name: 'Locale' }), 'fr');
  await explorer.settled();
  const url = await explorer.url();
  expect(new URLSearchParams(url.split('?')[1])).toEqual(new URLSearchParams('status=draft&locale=fr'));
  expect(await explorer.total()).toBe(await totalOf('articles?status=draft&locale=fr', fullAccess));
});

test('counts values, and filters by one of them', async () => {
  const { explorer, page, keyboard } = await start('articles');
  const tree = page.getByRole('list', { name: 'Attributes of Article' });
  await keyboard.use(tree.getByRole('button', { name: 'Count the values of kind' }), 'Enter');
  const value = page.getByRole('region', { name: 'Facets' }).getByRole('button', { name: /^guide/ });
  await value.waitFor();
  const count = Number((await value.innerText()).replace(/\D/g, ''));
  await keyboard.use(value, 'Enter');
  await explorer.settled();
  expect(await explorer.url()).toMatch(/^\/api\/articles\?filters\[kind\]\[\$eq\]=guide&facets(\[0\])?=kind$/);
  expect(await explorer.total()).toBe(count);
  expect(await value.getAttribute('aria-pressed')).toBe('true');
});

test('edits the URL, which the tree and the filters follow', async () => {
  const { explorer, page, keyboard } = await start('articles');
  await keyboard.tabTo(explorer.urlLine);
  await keyboard.replace('/api/authors?fields=name&filters[name][$contains]=a&sort=name:desc&populate=team');
  await keyboard.press('Enter');
  await explorer.settled();
  expect(await explorer.total()).toBe(await totalOf('authors?filters[name][$contains]=a'));
  expect(
    await page.getByRole('group', { name: 'Filter on name' }).getByRole('combobox', { name: 'Value' }).inputValue(),
  ).toBe('a');
  const isChecked = (name: RegExp) =>
    page.getByRole('list', { name: 'Attributes of Author' }).getByRole('checkbox', { name }).first().isChecked();
  expect(await Promise.all([/^name /, /^team /, /^slug /, /^articles /].map(isChecked))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(await page.getByRole('group', { name: 'Sort by name' }).getByRole('button', { name: /desc/ }).count()).toBe(1);
});

test('opens the plan, and switches the view', async () => {
  const { explorer, page, keyboard } = await start('articles?filters[kind][$eq]=essay');
  await keyboard.tabTo(page.getByLabel('Token', { exact: true }));
  await page.keyboard.type(fullAccess);
  await keyboard.press('Enter');
  await explorer.settled();
  await keyboard.use(page.getByRole('button', { name: 'plan', exact: true }), 'Enter');
  const plan = page.getByRole('region', { name: 'Plan', exact: true });
  await plan.getByRole('table').waitFor();
  expect(await plan.innerText()).toContain('essay');
  const total = await totalOf('articles?filters[kind][$eq]=essay', fullAccess);
  expect(await explorer.total()).toBe(total);
  await keyboard.use(page.getByRole('button', { name: 'tree', exact: true }), 'Enter');
  const tree = page.getByRole('tree');
  await keyboard.tabTo(tree);
  await keyboard.press('Home', 'ArrowDown', 'ArrowDown', 'ArrowLeft');
  const first = tree.getByRole('treeitem').nth(2);
  expect(await first.getAttribute('aria-expanded')).toBe('false');
  await keyboard.press('Enter');
  expect(await first.getAttribute('aria-expanded')).toBe('true');
  expect(new URL(page.url()).search).toMatch(/view=tree.*plan/);
  expect(await explorer.url()).toBe('/api/articles?filters[kind][$eq]=essay');
});

test('copies as curl, and Back returns', async () => {
  const { explorer, page, keyboard } = await start('articles');
  await keyboard.use(explorer.types.getByRole('button', { name: 'Team', exact: true }), 'Enter');
  await explorer.shows('/api/teams');
  await keyboard.use(page.getByRole('button', { name: '+ Sort' }), 'Enter');
  await explorer.settled();
  await keyboard.use(page.getByRole('button', { name: 'Copy as…' }), 'Enter');
  await keyboard.use(page.getByRole('button', { name: 'curl', exact: true }), 'Enter');
  const url = await explorer.url();
  expect(url).toMatch(/^\/api\/teams\?sort/);
  expect(await page.locator('.copied pre').textContent()).toBe(`curl -g '${demo.origin}${url}'`);
  // the browser's own key
  await page.goBack();
  await explorer.shows('/api/teams');
  await page.goBack();
  await explorer.shows('/api/articles');
  expect(await explorer.total()).toBe(await totalOf('articles'));
});
