import { expect, test } from 'vitest';
import { ExplorerPage } from './support/explorer-page.ts';
import { serveDemo } from './support/serving.ts';
import { connectBrowser } from './support/watched-page.ts';

/**
 * The tour of the README goes as it says. Its picture is drawn anew by
 * `LECTERN_PICTURE=docs/explorer.png npm run test:browser -- test/browser/tour.test.ts`.
 */

connectBrowser();
const demo = serveDemo();

test('the tour leads from a type to a query that can be copied', async () => {
  const explorer = await ExplorerPage.open(demo.origin, {
    page: { viewport: { width: 1280, height: 800 }, reducedMotion: 'no-preference' },
  });
  const { page } = explorer;
  await explorer.types.getByRole('button', { name: 'Article', exact: true }).click();

  const tree = page.getByRole('list', { name: 'Attributes of Article' });
  await tree.getByRole('button', { name: 'Filter by kind', exact: true }).click();
  await page.getByRole('option', { name: /^essay/ }).click();
  await explorer.shows('/api/articles?filters[kind][$eq]=essay');

  await page.getByRole('button', { name: 'Open author' }).click();
  await explorer.settled();
  const author = page.getByRole('list', { name: 'Attributes of author' });
  await author.getByRole('button', { name: 'Filter by author.stars' }).click();
  const stars = page.getByRole('group', { name: 'Filter on author.stars' });
  await stars.getByRole('combobox', { name: 'Operator' }).selectOption('$gte');
  await stars.getByRole('combobox', { name: 'Value' }).fill('4');
  await page.keyboard.press('Enter');
  await explorer.shows('/api/articles?filters[kind][$eq]=essay&filters[author][stars][$gte]=4&populate[author]=true');

  const head = page.getByRole('columnheader', { name: /^publishedOn/ }).getByRole('button', { name: /^publishedOn/ });
  for (const order of ['ascending', 'descending']) {
    await head.click();
    await explorer.settled();
    expect(await page.getByRole('columnheader', { name: /^publishedOn/ }).getAttribute('aria-sort')).toBe(order);
  }
  await tree.getByRole('button', { name: 'Count the values of premium' }).click();
  await explorer.settled();
  const counts = page.getByRole('region', { name: 'Facets' }).getByRole('button', { name: /^(true|false)/ });
  expect(await counts.count()).toBe(2);

  await explorer.urlLine.fill(`${await explorer.url()}&fields=title,rating,publishedOn`);
  await page.keyboard.press('Enter');
  await explorer.settled();
  expect(await tree.getByRole('checkbox', { name: /^lead / }).isChecked()).toBe(false);
  expect(await tree.getByRole('checkbox', { name: /^title / }).isChecked()).toBe(true);
  if (process.env.LECTERN_PICTURE) await takePicture(explorer, process.env.LECTERN_PICTURE);

  await page.getByRole('button', { name: 'plan', exact: true }).click();
  await page.getByRole('list', { name: 'Stages' }).waitFor();
  await page.getByRole('button', { name: /^Copy as/ }).click();
  const forms = page.getByRole('group', { name: 'Copy the query' });
  expect(await forms.getByRole('button').allInnerTexts()).toEqual(['URL', 'curl', 'fetch', 'client']);
});

async function takePicture({ page }: ExplorerPage, path: string): Promise<void> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement).blur();
    for (const element of document.querySelectorAll('nav, .reply-box')) element.scrollTo(0, 0);
  });
  await page.mouse.move(700, 20);
  await page.screenshot({ path });
}
