import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { serveDemo } from './support/serving.ts';
import { openState, states } from './support/states.ts';
import { connectBrowser } from './support/watched-page.ts';

/** No state of the page violates a rule of WCAG 2.2 AA that axe can check, light or dark, narrow or wide. */

connectBrowser();
const demo = serveDemo();

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

async function violations(page: Page, runOnly: axe.RunOnly, exclude: string[] = []): Promise<string[]> {
  const { violations: found } = await page.evaluate(
    ([only, left]) =>
      (window as unknown as { axe: typeof axe }).axe.run(
        { include: [document], exclude: left },
        { runOnly: only, resultTypes: ['violations'], preload: false, selectors: false },
      ),
    [runOnly, exclude] as const,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`),
  );
}

const all: axe.RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'] };

/** What differs between light and dark. */
const colours: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Rows of a reply after its first ones, which have the same colours at every width. */
const laterRows = ['tbody tr', '[role=treeitem]', '.raw-line'].map((row) => `${row}:nth-child(n + 7)`);

test.each(Object.keys(states))('%s', async (name) => {
  const { page } = await openState(demo.origin, name);
  // the policy of the page refuses a script element
  await page.evaluate(readFileSync(axePath, 'utf8'));
  // all rules for each width and for each scheme, and the colours for the other pairs
  for (const [width, colorScheme, isOther] of [
    [1280, 'light', false],
    [1280, 'dark', true],
    [390, 'dark', false],
    [390, 'light', true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const found = isOther ? await violations(page, colours, laterRows) : await violations(page, all);
    expect(found, `${width} pixels, ${colorScheme}`).toEqual([]);
  }
  // on narrow screens, the tree is folded
  if (name === 'fresh') {
    await page.locator('nav summary').click();
    expect(await violations(page, all), 'with the tree open').toEqual([]);
  }
});
