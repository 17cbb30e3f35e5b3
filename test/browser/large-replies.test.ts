import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeLargeSnapshot } from './content/large-snapshot.ts';
import { ExplorerPage } from './support/explorer-page.ts';
import { serve } from './support/serving.ts';
import { connectBrowser } from './support/watched-page.ts';

/** A reply of 16 MB folds and scrolls without a frame that a reader notices, and few of its values are in the document. */

connectBrowser();
const served = serve(writeLargeSnapshot);
const url = 'records?pagination[pageSize]=100';

/** Milliseconds. */
const longestFrame = 50;

const maxElements = 3000;

/** What the page did while it was used. */
interface Measured {
  /** The longest time between two frames, and the longest task of the page, in milliseconds. */
  readonly frame: number;
  readonly task: number;
  /** The largest number of elements in the document. */
  readonly elements: number;
}

/** Runs in the page: counts frames and tasks until it is called again. */
function measure(): Measured | null {
  const page = window as unknown as { measured?: { frame: number; task: number; elements: number; stop(): void } };
  const { measured } = page;
  if (measured) {
    measured.stop();
    delete page.measured;
    return { frame: measured.frame, task: measured.task, elements: measured.elements };
  }
  const begun = { frame: 0, task: 0, elements: 0, stop: () => {} };
  let last = performance.now();
  let isStopped = false;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) begun.task = Math.max(begun.task, duration);
  });
  observer.observe({ type: 'longtask' });
  const frame = (now: number) => {
    begun.frame = Math.max(begun.frame, now - last);
    begun.elements = Math.max(begun.elements, document.getElementsByTagName('*').length);
    last = now;
    if (!isStopped) requestAnimationFrame(frame);
  };
  requestAnimationFrame((now) => {
    last = now;
    requestAnimationFrame(frame);
  });
  begun.stop = () => {
    isStopped = true;
    observer.disconnect();
  };
  page.measured = begun;
  return null;
}

/**
 * Measures a use of the page in up to three tries, of which the best counts. `atRest` is the longest frame while nothing
 * happens: a machine that is busy otherwise has long ones.
 */
async function measured(page: Page, use: () => Promise<void>): Promise<Measured & { readonly atRest: number }> {
  let best: Measured | null = null;
  let atRest = 0;
  for (let tries = 0; tries < 3; tries++) {
    await page.evaluate(measure);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1000)));
    atRest = Math.max(atRest, (await page.evaluate(measure))!.frame);
    await page.evaluate(measure);
    await use();
    const found = (await page.evaluate(measure))!;
    if (!best || found.frame < best.frame) best = found;
    if (best.frame <= longestFrame) break;
  }
  return { ...best!, atRest };
}

/** Scrolls a box from end to end in 40 frames. */
const scroll = (page: Page, selector: string) =>
  page.evaluate(async (box) => {
    const element = document.querySelector(box)!;
    for (let i = 0; i <= 40; i++) {
      element.scrollTop = (element.scrollHeight * i) / 40;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, selector);

test.each(['table', 'tree', 'raw'])('as %s', async (view) => {
  const explorer = await ExplorerPage.open(served.origin, { url, search: `view=${view}`, page: { isNew: true } });
  const { page } = explorer;
  expect(await explorer.status.innerText()).toMatch(/size\s*1[67] MB/);
  // raw lines are found step by step
  if (view === 'raw') await page.waitForTimeout(1500);
  const used = await measured(page, async () => {
    await scroll(page, '.reply-box');
    if (view !== 'tree') return;
    const tree = page.getByRole('tree');
    await tree.press('Home');
    // folds the list and an entry, and opens entries with long lists
    for (const key of [
      'ArrowLeft',
      'ArrowRight',
      'ArrowDown',
      'ArrowRight',
      'ArrowDown',
      'ArrowLeft',
      'ArrowRight',
      'ArrowDown',
      'ArrowDown',
      'ArrowDown',
      'ArrowDown',
      'ArrowRight',
      'End',
      'Home',
      'PageDown',
      'PageDown',
      'ArrowLeft',
      'ArrowLeft',
      'ArrowLeft',
    ]) {
      await page.keyboard.press(key);
    }
    await scroll(page, '.reply-box');
  });
  console.info(
    `16 MB as ${view}: longest frame ${used.frame.toFixed(1)} ms, ${used.atRest.toFixed(1)} ms at rest, longest task ${used.task} ms, ${used.elements} elements`,
  );
  expect(used.elements).toBeLessThan(maxElements);
  expect(used.frame).toBeLessThanOrEqual(Math.max(longestFrame, used.atRest));
});
