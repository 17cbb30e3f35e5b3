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

async function violations(page: Page, runOnly: axe.RunOnly): Promise<string[]> {
  const { violations: found } = await page.evaluate(
    (only) =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {
        runOnly: only,
        resultTypes: ['violations'],
        preload: false,
      }),
    runOnly,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`),
  );
}

const all: axe.RunOnly = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'] };

/** What differs between light and dark. */
const colours: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

test.each(Object.keys(states))('%s', async (name) => {
  const { page } = await openState(demo.origin, name, { reducedMotion: 'reduce' });
  // the policy of the page refuses a script element
  await page.evaluate(readFileSync(axePath, 'utf8'));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(
        await violations(page, colorScheme === 'light' ? all : colours),
        `${width} pixels, ${colorScheme}`,
      ).toEqual([]);
    }
    // on narrow screens, the tree is folded
    const summary = page.locator('nav summary');
    if (width === 390 && name === 'fresh') {
      await summary.click();
      expect(await violations(page, all), 'with the tree open').toEqual([]);
    }
  }
});
