import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { foreignHost, hostileNames, hostileValues } from './content/hostile-values.ts';
import { ExplorerPage } from './support/explorer-page.ts';
import { foreignElements } from './support/own-elements.ts';
import { withoutEscapes } from './support/scrolled-rows.ts';
import { fullAccess, serveDemo, serveHostile } from './support/serving.ts';
import { connectBrowser } from './support/watched-page.ts';

/** Values of the content and of URLs are text in the controls of the page: names, filters, facets, plans, copies, errors. */

connectBrowser();
const hostile = serveHostile();

const encode = encodeURIComponent;
const short = hostileValues.filter((value) => value !== '' && value.length < 200);

async function expectTextOnly(page: Page): Promise<void> {
  expect(await foreignElements(page)).toEqual([]);
}

/** Splits values so that the URL with each part is not too long. */
function* groupsOf(values: readonly string[], size: number): Generator<readonly string[]> {
  for (let i = 0; i < values.length; i += size) yield values.slice(i, i + size);
}

test('names and descriptions of types', async () => {
  const explorer = await ExplorerPage.open(hostile.origin, { url: 'values' });
  const names = await explorer.types.getByRole('button').allTextContents();
  expect(names).toEqual(expect.arrayContaining([...hostileNames]));
  const { page } = explorer;
  for (let i = 0; i < hostileNames.length; i += 12) {
    await explorer.go({ url: `kinds-${i}` });
    const text = await page.getByRole('navigation').textContent();
    expect(text).toContain(hostileNames[i]);
    expect(text).toContain(hostileNames[(i + 1) % hostileNames.length]);
    await expectTextOnly(page);
  }
});

test('names of relations, components and roles', async () => {
  const explorer = await ExplorerPage.open(hostile.origin, { url: 'values?populate=*' });
  await explorer.signIn(fullAccess);
  const { page } = explorer;
  await page.getByRole('button', { name: 'Open owner' }).click();
  await page.getByRole('button', { name: 'Open seo' }).click();
  const roles = await page.getByLabel('Read as').locator('option').allTextContents();
  expect(roles).toEqual(expect.arrayContaining(hostileNames.slice(0, 12)));
  await expectTextOnly(page);
  await page.getByLabel('Read as').selectOption({ label: hostileNames[0] });
  await explorer.settled();
  await expectTextOnly(page);
});

describe('filters', () => {
  test('with lists of values', async () => {
    const explorer = await ExplorerPage.open(hostile.origin, { url: 'values' });
    for (const values of groupsOf(short, 40)) {
      const list = values.map((value, i) => `filters[title][$in][${i}]=${encode(value)}`).join('&');
      await explorer.go({ url: `values?${list}` });
      const chip = explorer.page.getByRole('group', { name: 'Filter on title' });
      const shown = await chip.locator('bdi').allTextContents();
      expect(shown.map(withoutEscapes)).toEqual(values);
      // what the page prints finds what the values mean
      await explorer.page.getByRole('button', { name: '+ Sort' }).click();
      await explorer.settled();
      expect(await explorer.url()).toContain('sort=');
      expect(await explorer.total()).toBe(values.length);
      await expectTextOnly(explorer.page);
    }
  });

  test('with one value, in a group, on an unknown attribute, and kept as written', async () => {
    const explorer = await ExplorerPage.open(hostile.origin, { url: 'values' });
    for (const value of [...short.filter((_, i) => i % 40 === 0), hostileValues[155]]) {
      const text = encode(value);
      // brackets end a part of a key
      const key = encode(value.replaceAll(/[[\]]/g, ''));
      await explorer.go({
        url: `values?filters[title][$eq]=${text}&filters[$or][0][plain][$eq]=${text}&filters[$or][1][${key}][$eq]=1&x[${key}]=${text}`,
      });
      const { page } = explorer;
      const boxes = page.getByRole('combobox', { name: 'Value' });
      const texts = await boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).value));
      // a line of text has no line breaks
      expect(texts).toContain(value.replaceAll(/[\r\n]/g, ''));
      await expectTextOnly(page);
    }
  });

  test('offer values with their counts', async () => {
    const explorer = await ExplorerPage.open(hostile.origin, { url: 'values?filters[kind][$eq]=' });
    const { page } = explorer;
    await page.getByRole('combobox', { name: 'Value' }).click();
    const offers = page.getByRole('listbox').getByRole('option');
    await offers.first().waitFor();
    const shown = await offers.locator('bdi').allTextContents();
    expect(shown.map(withoutEscapes).toSorted()).toEqual(hostileNames.toSorted());
    await expectTextOnly(page);
    await offers.nth(3).click();
    await explorer.settled();
    expect(await explorer.total()).toBeGreaterThan(3);
    expect(await explorer.url()).toContain(`[$eq]=`);
  });
});

test('facets, and the filter that a click on a value adds', async () => {
  const explorer = await ExplorerPage.open(hostile.origin, { url: 'values' });
  const { page } = explorer;
  for (const names of groupsOf(hostileNames.slice(0, -1), 12)) {
    const list = names.map((name, i) => `filters[kind][$in][${i}]=${encode(name)}`).join('&');
    await explorer.go({ url: `values?${list}&facets=kind,owner.name` });
    const facets = page.getByRole('region', { name: 'Facets' }).locator('.facet-value');
    const shown = await facets.allTextContents();
    expect(shown.map(withoutEscapes).toSorted()).toEqual([...names, ...names].toSorted());
    await expectTextOnly(page);
    const value = page.getByRole('region', { name: 'Facets' }).locator('li').nth(2).getByRole('button');
    const count = Number(await value.locator('.count').textContent());
    await value.click();
    await explorer.settled();
    expect(await explorer.total()).toBe(count);
  }
});

test('plans', async () => {
  const explorer = await ExplorerPage.open(hostile.origin, { search: 'plan', url: 'values' });
  await explorer.signIn(fullAccess);
  const plan = explorer.page.getByRole('region', { name: 'Plan' });
  for (const value of short.filter((_, i) => i % 40 === 0)) {
    await explorer.go({
      search: 'plan',
      url: `values?filters[$or][0][title][$contains]=${encode(value)}&filters[$or][1][kind][$eq]=a`,
    });
    await plan.getByRole('table').waitFor();
    await expectTextOnly(explorer.page);
  }
});

describe('copies', () => {
  const texts = async (explorer: ExplorerPage, form: string) => {
    await explorer.page.getByRole('button', { name: form, exact: true }).click();
    return (await explorer.page.locator('.copied pre').textContent())!;
  };

  test('are text, and a shell and JavaScript read the URL from them', async () => {
    const explorer = await ExplorerPage.open(hostile.origin, { url: 'values' });
    await explorer.page.getByRole('button', { name: 'Copy as…' }).click();
    for (const value of short.filter((_, i) => i % 40 === 0)) {
      await explorer.go({ url: `values?filters[title][$eq]=${encode(value)}&x=${encode('it\'s $HOME `id` "\\\\')}` });
      const expected = await texts(explorer, 'URL');
      const curl = await texts(explorer, 'curl');
      const read = execFileSync('sh', ['-c', `curl() { printf '%s' "$2"; }\n${curl}`], { encoding: 'utf8' });
      expect(read).toBe(expected);
      const fetchText = await texts(explorer, 'fetch');
      const asked: string[] = [];
      const run = new Function('fetch', `return (async () => { ${fetchText} })()`);
      await run((url: string) => {
        asked.push(url);
        return { json: () => ({}) };
      });
      expect(asked).toEqual([expected]);
      expect(new URL(expected).searchParams.get('filters[title][$eq]')).toBe(value);
      const client = await texts(explorer, 'client');
      expect(client).toContain('createClient');
      await expectTextOnly(explorer.page);
    }
  });
});

test('errors, of the server and of paths that it does not have', async () => {
  const explorer = await ExplorerPage.open(hostile.origin, { url: 'values' });
  const { page } = explorer;
  for (const value of short.filter((_, i) => i % 40 === 0)) {
    for (const url of [
      `values?sort=${encode(value)}`,
      `values?filters[id][${encode(value)}]=1`,
      `nowhere${encode(value)}`,
    ]) {
      await explorer.go({ url });
      await expectTextOnly(page);
    }
  }
  await explorer.go({ url: `values?filters[<b>][$eq]=1` });
  expect(await page.getByRole('alert').textContent()).toContain('<b>');
});

test('addresses of the page that name another server are asked of this one', async () => {
  const explorer = await ExplorerPage.open(hostile.origin, { url: 'values' });
  const { page } = explorer;
  const targets = [
    `https://${foreignHost}/api/values`,
    `//${foreignHost}/values`,
    `/\\${foreignHost}/values`,
    `\\\\${foreignHost}/values`,
    '/api/../../_metrics',
    'javascript:scriptRan=1',
    '<img src=x onerror=scriptRan=1>',
    '\ud800',
    '%zz',
    '?',
    'values?'.padEnd(20_000, 'a'),
  ];
  for (const target of targets) {
    await page.evaluate((hash) => (location.hash = hash), target);
    await explorer.settled();
    await expectTextOnly(page);
    await explorer.urlLine.fill(target);
    await explorer.urlLine.press('Enter');
    await explorer.settled();
    await expectTextOnly(page);
  }
});

describe('without a prefix', () => {
  const demo = serveDemo({ prefix: '' });

  test('addresses that begin as those of other servers are asked of this server', async () => {
    const articles = { url: 'articles', prefix: '' };
    const explorer = await ExplorerPage.open(demo.origin, articles);
    await explorer.signIn(fullAccess);
    for (const target of [
      `//${foreignHost}/articles`,
      `/\\${foreignHost}/articles`,
      `/\t/${foreignHost}/articles`,
      `///${foreignHost}/a`,
    ]) {
      await explorer.go(articles);
      expect(await explorer.total()).toBe(1321);
      await explorer.page.evaluate((hash) => (location.hash = hash), target);
      await explorer.settled();
      // otherwise the line would open what is shown
      await explorer.go(articles);
      await explorer.urlLine.fill(target);
      await explorer.urlLine.press('Enter');
      await explorer.settled();
    }
  });
});
