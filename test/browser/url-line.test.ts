import { describe, expect, test } from 'vitest';
import { parseUrl } from '../../src/explorer/query/parse-url.ts';
import { readFromAddress } from '../explorer/in-address.ts';
import { RandomUrls } from '../explorer/random-urls.ts';
import { caseCount } from '../support/cases.ts';
import { ExplorerPage } from './support/explorer-page.ts';
import { serveDemo } from './support/serving.ts';
import { connectBrowser } from './support/watched-page.ts';

/** The URL line and the controls stay in step: whatever is typed keeps its meaning, also after an edit by a control. */

connectBrowser();
const demo = serveDemo();
const seed = Number(process.env.LECTERN_SEED || 20261126);

describe(`random URLs, seed ${seed}`, () => {
  test('are kept as they are typed, and mean the same after an edit', async () => {
    const urls = new RandomUrls(seed);
    const explorer = await ExplorerPage.open(demo.origin, { url: 'articles' });
    const { page } = explorer;
    const count = caseCount(50, 18);
    let edited = 0;
    for (let i = 0; i < count; i++) {
      const url = i % 5 === 4 ? urls.odd() : urls.plain();
      await explorer.urlLine.fill(`/api/${url}`);
      await explorer.urlLine.blur();
      await explorer.drawn();
      const shown = (await explorer.url()).slice('/api/'.length);
      // test/explorer/mapping.test.ts shows that this means the same
      expect(shown).toBe(readFromAddress(url));

      // the tree shows what the URL selects
      const query = parseUrl(url);
      const tree = page.getByRole('list', { name: /^Attributes of/ }).first();
      const checked = new Set(
        await tree
          .locator(':scope > li > .row')
          .evaluateAll((rows) =>
            rows
              .filter((row) => row.querySelector<HTMLInputElement>('input')!.checked)
              .map((row) => row.querySelector('.attribute-name')!.textContent),
          ),
      );
      const { fields, populate, populatesAll } = query.selection;
      for (const name of fields ?? [])
        if (/^\w+$/.test(name) && name !== 'id') expect([...checked, name], url).toContain(name);
      if (!populatesAll) {
        const links = await tree
          .locator(':scope > li')
          .filter({ has: page.locator(':scope > .row .disclosure') })
          .locator(':scope > .row .attribute-name')
          .allTextContents();
        const named = populate.map(({ attribute }) => attribute);
        expect(links.filter((link) => checked.has(link)).toSorted(), url).toEqual(
          links.filter((link) => named.includes(link)).toSorted(),
        );
      }

      // an edit by a control prints the whole query, which asks for the same apart from the edit
      const search = page.getByRole('searchbox', { name: 'Search' });
      if (i % 3 !== 0 || (await search.count()) === 0 || query.search !== null) continue;
      await search.fill('x');
      await search.fill('');
      await explorer.settled();
      const printed = (await explorer.url()).slice('/api/'.length);
      const { page: _, ...rest } = parseUrl(shown);
      const { page: __, ...restPrinted } = parseUrl(printed);
      expect(restPrinted, url).toEqual(rest);
      edited++;
    }
    expect(edited).toBeGreaterThan(count / 10);
  });
});

test('Escape gives up what is typed, and a pasted URL of another server is asked of this one', async () => {
  const explorer = await ExplorerPage.open(demo.origin, { url: 'articles' });
  await explorer.urlLine.fill('/api/nowhere');
  await explorer.urlLine.press('Escape');
  await explorer.urlLine.blur();
  await explorer.shows('/api/articles');
  await explorer.urlLine.fill('https://cms.foreign.example/api/teams?sort=name');
  await explorer.urlLine.press('Enter');
  await explorer.shows('/api/teams?sort=name');
  expect(await explorer.total()).toBeGreaterThan(0);
});

test('a reply that is awaited for long dims the one before', async () => {
  const explorer = await ExplorerPage.open(demo.origin, { url: 'articles', page: { isNew: true } });
  const { page } = explorer;
  let answer = () => {};
  const isAllowed = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/api/teams', async (route) => {
    await isAllowed;
    await route.fallback();
  });
  const dimmed = page.locator('.reply[data-dimmed=true]');
  await explorer.urlLine.fill('/api/teams');
  await explorer.urlLine.press('Enter');
  await dimmed.waitFor();
  answer();
  await explorer.shows('/api/teams');
  expect(await dimmed.count()).toBe(0);
});
