import { expect, test } from 'vitest';
import { hostileNames } from './content/hostile-values.ts';
import { ExplorerPage } from './support/explorer-page.ts';
import { serveDemo, serveHostile } from './support/serving.ts';
import { openState, states } from './support/states.ts';
import { connectBrowser } from './support/watched-page.ts';

/** The page never scrolls sideways, whatever its width and its content. Parts of it may. */

connectBrowser();
const demo = serveDemo();
const hostile = serveHostile();

const widths = [1280, 768, 390, 320];

/** Returns how much wider than the window the document is, by the width of the window, where it is. */
async function excess({ page }: ExplorerPage): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const summary = page.locator('nav summary');
    if ((await summary.count()) > 0 && (await page.locator('nav details[open]').count()) === 0) await summary.click();
    const wide = await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const { scrollWidth } = document.documentElement;
      if (scrollWidth <= innerWidth) return null;
      const isWide = (element: Element) => element.getBoundingClientRect().right > innerWidth + 1;
      const causes = Array.from(document.querySelectorAll('body *')).filter(isWide).slice(0, 5);
      return [scrollWidth, ...causes.map((each) => `${each.tagName} ${each.className}`)];
    });
    if (wide) found[width] = wide;
  }
  return found;
}

test.each(Object.keys(states))('%s', async (name) => {
  expect(await excess(await openState(demo.origin, name))).toEqual({});
});

test('with hostile values', async () => {
  const list = hostileNames
    .slice(0, 5)
    .map((name, i) => `filters[$or][${i}][owner][name][$ne]=${encodeURIComponent(name)}`);
  const long = encodeURIComponent(hostileNames.at(-1)!);
  const url = `values?populate=*&${list.join('&')}&filters[title][$ne]=${long}&facets=kind,owner.name`;
  const explorer = await ExplorerPage.open(hostile.origin);
  for (const search of ['', 'view=tree', 'view=raw']) {
    await explorer.go({ url, search });
    expect(await excess(explorer), search).toEqual({});
  }
  const broken = `values?filters[x][$eq]=${long}&sort=${long.slice(0, 900)}&y=${long}`;
  await explorer.go({ url: broken });
  expect(await excess(explorer), 'with an error').toEqual({});
});
