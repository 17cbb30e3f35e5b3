import { describe, expect, inject, test } from 'vitest';
import { ExplorerPage } from './support/explorer-page.ts';
import { fullAccess, serve, serveDemo } from './support/serving.ts';
import { connectBrowser, openPage } from './support/watched-page.ts';

/** The page does what the settings of the server leave it. */

connectBrowser();

describe('with several contents', () => {
  const served = serve(() => `blue=${inject('demoImage')}`, {}, ['green=test/fixtures/guide']);

  test('each has a page, whose links and copies lead to it', async () => {
    for (const [base, url, total] of [
      ['/blue', 'articles', 1321],
      ['/green', 'restaurants', null],
    ] as const) {
      const explorer = await ExplorerPage.open(served.origin, { base, url });
      const { page } = explorer;
      expect(await explorer.url()).toBe(`${base}/api/${url}`);
      if (total !== null) expect(await explorer.total()).toBe(total);
      else expect(await explorer.total()).toBeGreaterThan(3);
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(base.slice(1));
      await page.getByRole('button', { name: '+ Sort' }).click();
      await explorer.settled();
      expect(new URL(page.url()).pathname).toBe(`${base}/_explorer`);
      await page.getByRole('button', { name: 'Copy as…' }).click();
      await page.getByRole('button', { name: 'URL', exact: true }).click();
      const copied = (await page.locator('.copied pre').textContent())!;
      expect(copied).toMatch(`${served.origin}${base}/api/${url}?sort=`);
      expect((await fetch(copied)).status).toBe(200);
      // without the base, it is the same URL below the prefix
      await explorer.urlLine.fill(`/api/${url}?sort=id:desc`);
      await explorer.urlLine.press('Enter');
      await explorer.shows(`${base}/api/${url}?sort=id:desc`);
      await explorer.signIn(fullAccess);
      await page.getByRole('button', { name: 'plan', exact: true }).click();
      await page.getByRole('region', { name: 'Plan', exact: true }).getByText('Every entry').waitFor();
    }
  });
});

describe('with explain and facets off, and another prefix', () => {
  const prefix = '/content/v1';
  const served = serveDemo({ explain: false, facets: false, prefix });

  test('explores without plans and counts', async () => {
    const url = 'articles?filters[kind][$eq]=';
    const explorer = await ExplorerPage.open(served.origin, { url, search: 'plan', prefix });
    const { page } = explorer;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await explorer.signIn(fullAccess);
    expect(await page.getByRole('region', { name: 'Plan', exact: true }).innerText()).toMatch(/explain/);
    expect(await page.getByRole('button', { name: '+ Facet' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Count the values/ }).count()).toBe(0);
    // the values of an enumeration are known without counting
    await page.getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'essay' }).click();
    await explorer.shows(`${prefix}/articles?filters[kind][$eq]=essay`);
    expect(await explorer.total()).toBeGreaterThan(0);
    expect(asked.filter((url) => /_explain|facets/.test(url))).toEqual([]);
  });

  test('shows URLs with the prefix, and takes them', async () => {
    const explorer = await ExplorerPage.open(served.origin, { url: 'articles?sort=id', prefix });
    expect(await explorer.url()).toBe(`${prefix}/articles?sort=id`);
    await explorer.urlLine.fill(`${served.origin}${prefix}/teams`);
    await explorer.urlLine.press('Enter');
    await explorer.shows(`${prefix}/teams`);
    expect(await explorer.total()).toBeGreaterThan(0);
  });

  test('the home page leads to it', async () => {
    const page = await openPage();
    await page.goto(`${served.origin}/`);
    await page.getByRole('link', { name: 'explorer' }).click();
    await page.getByRole('textbox', { name: 'URL' }).waitFor();
  });
});

describe('with the explorer off', () => {
  const served = serve('test/fixtures/guide', { explorer: false });

  test('there is no page, and no link to it', async () => {
    const page = await openPage();
    expect((await page.goto(`${served.origin}/_explorer`))!.status()).toBe(404);
    expect((await page.goto(`${served.origin}/`))!.status()).toBe(200);
    expect(await page.content()).not.toContain('_explorer');
  });
});
