import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hostileNames, hostileValues } from './content/hostile-values.ts';
import { ExplorerPage } from './support/explorer-page.ts';
import { foreignElements } from './support/own-elements.ts';
import { scrolledRows } from './support/scrolled-rows.ts';
import { serveHostile } from './support/serving.ts';
import { connectBrowser } from './support/watched-page.ts';

/** Values of the content are text wherever the page shows them. `connectBrowser` fails a test in which a script ran. */

connectBrowser();
const hostile = serveHostile();

const all = 'pagination[pageSize]=200';

/** As the page shows a text on one line. */
const inOneLine = (text: string, longest = 300) => (text.length > longest ? text.slice(0, longest) : text);

/** As the tree shows a text that is closed: a long one on one line. */
const inTree = (text: string) => {
  if (text.length <= 80) return text;
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
};

async function expectTextOnly(page: Page): Promise<void> {
  expect(await foreignElements(page)).toEqual([]);
}

/** Opens each entry of the list, and nothing in it. */
function openEntries(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const box = document.querySelector('[role=tree]')!;
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    for (let top = 0; top < box.scrollHeight; top += box.clientHeight / 2) {
      box.scrollTop = top;
      await frame();
      await frame();
      // from the last one on, because the others keep their places
      const closed = box.querySelectorAll<HTMLElement>('[role=treeitem][aria-level="3"][aria-expanded=false]');
      for (const row of Array.from(closed).reverse()) row.click();
      await frame();
    }
  });
}

describe('the reply', () => {
  test('in a table', async () => {
    // so wide that all columns are in view
    const page = { viewport: { width: 3000, height: 900 } };
    const explorer = await ExplorerPage.open(hostile.origin, {
      url: `values?fields=title,plain,rich,kind&${all}`,
      page,
    });
    const table = explorer.page.getByRole('region', { name: 'Reply as a table' });
    const rows = await scrolledRows(table, 'tbody tr[aria-rowindex]', 'aria-rowindex');
    for (const [i, value] of hostileValues.entries()) {
      const text = inOneLine(value);
      const shown = rows.get(i + 2)!;
      expect(shown, `value ${i}`).toContain(`value-${i}`);
      expect(shown.split(text).length, `value ${i}`).toBeGreaterThan(text === '' ? 0 : 3);
      expect(shown, `value ${i}`).toContain(hostileNames[i % hostileNames.length].slice(0, 300));
    }
    await expectTextOnly(explorer.page);
  });

  test('in a table with what it leads to', async () => {
    const page = { viewport: { width: 3000, height: 900 } };
    const explorer = await ExplorerPage.open(hostile.origin, { url: `values?fields=id&populate=*&${all}`, page });
    const table = explorer.page.getByRole('region', { name: 'Reply as a table' });
    const names = await table.locator('th').allInnerTexts();
    expect(names.map((name) => name.trim())).toEqual(expect.arrayContaining(['seo', 'owner', 'cover']));
    const rows = await scrolledRows(table, 'tbody tr[aria-rowindex]', 'aria-rowindex');
    expect(rows.size).toBe(hostileValues.length);
    await expectTextOnly(explorer.page);
  });

  test('as a tree, with each entry open', async () => {
    const url = `values?fields=title&${all}`;
    const explorer = await ExplorerPage.open(hostile.origin, { url, search: 'view=tree' });
    const tree = explorer.page.getByRole('tree', { name: 'Reply as a tree' });
    await openEntries(explorer.page);
    const shown = [...(await scrolledRows(tree, '[role=treeitem]', 'id')).values()];
    const titles = shown.filter((text) => text.startsWith('title')).map((text) => text.slice('title'.length));
    expect(titles).toEqual(hostileValues.map(inTree));
    await expectTextOnly(explorer.page);
  });

  test('as a tree that is open at every depth', async () => {
    const explorer = await ExplorerPage.open(hostile.origin, {
      search: 'view=tree',
      url: 'values/value-0',
      // all rows are in view
      page: { viewport: { width: 1280, height: 3000 } },
    });
    const { page } = explorer;
    for (const i of [8, 25, 54, 70, 130]) {
      await explorer.go({ search: 'view=tree', url: `values/value-${i}?populate=*` });
      await page.evaluate(async () => {
        for (let row: HTMLElement | null; (row = document.querySelector('[role=treeitem][aria-expanded=false]')); ) {
          row.click();
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        }
      });
      const shown = [...(await scrolledRows(page.getByRole('tree'), '[role=treeitem]', 'id')).values()].join('\n');
      // a key, values of JSON, blocks, components, media
      expect(shown).toContain(`key ${hostileValues[i]}`);
      for (const name of ['heading', 'link', 'alternativeText', 'caption', 'text']) {
        expect(shown).toContain(`${name}${inTree(hostileValues[i])}`);
      }
      await expectTextOnly(page);
    }
  });

  test('as raw JSON, to the letter', async () => {
    const url = `values?fields=title,rich&${all}`;
    const explorer = await ExplorerPage.open(hostile.origin, { url, search: 'view=raw' });
    const raw = explorer.page.getByRole('region', { name: 'Reply as JSON' });
    const lines = await scrolledRows(raw, '.raw-line', 'line');
    const shown = Array.from({ length: lines.size }, (_, i) => lines.get(i + 1)).join('');
    const body = await (await fetch(`${hostile.origin}/api/${url}`)).text();
    // a space is shown after names
    expect(shown.replaceAll('": ', '":')).toBe(body.replaceAll('": ', '":'));
    await expectTextOnly(explorer.page);
  });
});
