import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait.ts';
import { ExplorerPage } from './support/explorer-page.ts';
import { fullAccess, serveDemo } from './support/serving.ts';
import { openState, states } from './support/states.ts';
import { connectBrowser } from './support/watched-page.ts';

/** The address of the page is what it shows, apart from the token. */

connectBrowser();
const demo = serveDemo();

/** What is on the screen, without the times that differ each time. */
async function screen(explorer: ExplorerPage): Promise<string> {
  await explorer.settled();
  const snapshot = await explorer.page.locator('main').ariaSnapshot();
  return snapshot.replaceAll(/\d+(?:\.\d+)? (?:µs|ms|s)\b/g, 'a time');
}

describe('a link', () => {
  const withoutToken = Object.keys(states).filter((name) => !states[name].hasToken && !states[name].prepare);

  test.each(withoutToken)('%s shows the same after a reload, and in another window', async (name) => {
    const explorer = await openState(demo.origin, name);
    const shown = await screen(explorer);
    await explorer.page.reload();
    expect(await screen(explorer)).toBe(shown);
    const other = await ExplorerPage.open(demo.origin);
    await other.page.goto(explorer.page.url());
    expect(await screen(other)).toBe(shown);
  });

  test('holds view and plan, and Back and Forward lead through all that was shown', async () => {
    const explorer = await ExplorerPage.open(demo.origin, { url: 'authors' });
    const { page } = explorer;
    const steps: (() => Promise<unknown>)[] = [
      () => page.getByRole('button', { name: '+ Sort' }).click(),
      () => page.getByRole('button', { name: 'Next page' }).click(),
      () => explorer.types.getByRole('button', { name: 'Article', exact: true }).click(),
      () => page.getByRole('button', { name: '+ Facet' }).click(),
      () =>
        page
          .getByRole('region', { name: 'Facets' })
          .getByRole('button', { name: /^essay/ })
          .click(),
      () => page.getByRole('button', { name: 'raw', exact: true }).click(),
      () => page.getByRole('button', { name: 'plan', exact: true }).click(),
    ];
    const addresses = [page.url()];
    const urls = [await explorer.url()];
    for (const step of steps) {
      await step();
      await explorer.settled();
      addresses.push(page.url());
      urls.push(await explorer.url());
    }
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addresses.at(-1)).toMatch(/\?view=raw&plan#\/api\/articles\?/);
    for (let i = addresses.length - 2; i >= 0; i--) {
      await page.goBack();
      await explorer.shows(urls[i]);
      expect(page.url()).toBe(addresses[i]);
    }
    for (let i = 1; i < addresses.length; i++) {
      await page.goForward();
      await explorer.shows(urls[i]);
      expect(page.url()).toBe(addresses[i]);
    }
  });
});

describe('the token', () => {
  test('is in no address, storage, cookie, document or copy, and gone after a reload', async () => {
    const explorer = await ExplorerPage.open(demo.origin, { url: 'invoices', search: 'plan' });
    const { page } = explorer;
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    expect(await explorer.total()).toBeNull();
    await explorer.signIn(fullAccess);
    expect(await explorer.total()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Copy as…' }).click();
    const copied: string[] = [];
    for (const form of ['URL', 'curl', 'fetch', 'client']) {
      await page.getByRole('button', { name: form, exact: true }).click();
      copied.push((await page.locator('.copied pre').textContent())!);
    }
    expect(copied.join()).toContain('Authorization');
    const kept = await page.evaluate(async () => [
      location.href,
      document.cookie,
      JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }),
      JSON.stringify(history.state),
      JSON.stringify(await indexedDB.databases()),
      JSON.stringify(await caches.keys().catch(() => [])),
      window.name,
      document.documentElement.outerHTML,
    ]);
    expect([...kept, ...copied, ...sent].filter((text) => text.includes(fullAccess))).toEqual([]);
    await page.reload();
    await explorer.settled();
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('');
    expect(await explorer.total()).toBeNull();
  });

  test('with full access reads as another role', async () => {
    const explorer = await ExplorerPage.open(demo.origin, { url: 'articles' });
    const { page } = explorer;
    const anonymous = await explorer.types.getByRole('button').allInnerTexts();
    await explorer.signIn(fullAccess);
    const all = await explorer.types.getByRole('button').allInnerTexts();
    expect(all).toContain('Invoice');
    const role = page.getByLabel('Read as');
    const asked = page.waitForRequest(
      (request) => request.url().includes('/api/articles') && request.headers()['x-lectern-role'] === 'public',
    );
    await role.selectOption('public');
    await asked;
    await explorer.settled();
    await waitFor(async () => expect(await explorer.types.getByRole('button').allInnerTexts()).toEqual(anonymous));
    expect(await explorer.total()).toBe(1321);
    await role.selectOption('editor');
    await explorer.settled();
    expect(await explorer.types.getByRole('button').allInnerTexts()).toContain('Invoice');
  });

  test('that is unknown is refused in words', async () => {
    const explorer = await ExplorerPage.open(demo.origin, { url: 'articles' });
    await explorer.signIn('guessed');
    await explorer.page.getByRole('alert').waitFor();
    expect(await explorer.page.getByRole('alert').innerText()).toMatch(/token|credential/i);
    await explorer.signIn('');
    await explorer.urlLine.waitFor();
    await explorer.settled();
    expect(await explorer.total()).toBe(1321);
  });
});
