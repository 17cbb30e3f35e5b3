import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { waitFor } from '../support/wait.ts';
import { hostileNames } from './content/hostile-values.ts';
import { adminTokens, cardOf, openAdmin, sendAdmin, serveWithAdmin } from './support/admin-page.ts';
import { Keyboard } from './support/keyboard.ts';
import { foreignElements } from './support/own-elements.ts';
import { conflict, springChanges, stubChanges } from './support/stub-changes.ts';
import { connectBrowser } from './support/watched-page.ts';

/** The page at `/_admin` on the admin port: what it shows to which token, what it sends, and that values are text. */

connectBrowser();
const served = serveWithAdmin();
const { everything, pins } = adminTokens;

const changes = [{ upsert: 'api::article.article', entry: { documentId: 'new-one', title: 'New' } }];
const putPreview = (name: string) => sendAdmin(served, 'PUT', `/_contents/${name}`, { base: 'main', changes });

beforeAll(() => putPreview('spring'));

const open = (token: string | null = everything, options = {}) => openAdmin(served.adminOrigin, token, options);

/** Gives the page another token. */
async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.keyboard.press('Enter');
}

/** Answers the question of a button. */
async function confirm(part: Locator, name: string | RegExp): Promise<void> {
  await part.getByRole('button', { name }).click();
  await part.locator('.asked .danger').click();
}

test('holds nothing without a token, keeps it in its memory alone, and shows what its rights allow', async () => {
  const page = await open(null);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  expect(await page.getByRole('main').innerText()).toMatch(/^Enter a token/);
  await signIn(page, 'guessed');
  expect(await page.getByRole('alert').innerText()).toMatch(/^401 .*no such token/);
  expect(asked.map((url) => new URL(url).pathname)).toEqual(['/_status']);

  await signIn(page, everything);
  const main = cardOf(page, 'main');
  await main.getByText('entries').waitFor();
  expect(await main.innerText()).toMatch(/entries\s*1\s.*memory\s*\d+ B\s.*loaded\s/s);
  expect(await cardOf(page, 'spring').innerText()).toMatch(/base\s*main\s.*host\s*spring\.preview\.example\.org/s);
  await page.getByText('shop: unknown-key').click();
  expect(await page.getByText(/colour/).isVisible()).toBe(true);
  const server = page.getByRole('region', { name: 'Server' });
  await server.getByText('threads', { exact: true }).waitFor();
  expect(await server.innerText()).toMatch(/process\s*\d+ MB.*threads\s*1\b/s);

  await signIn(page, pins);
  await main.getByRole('button', { name: 'Versions' }).click();
  await main.getByText('served').waitFor();
  const text = await page.getByRole('main').innerText();
  for (const right of ['reload', 'contents']) expect(text).toContain(`a token needs the right “${right}”`);
  expect(text).not.toMatch(/spring|unknown-key/);
  expect(await page.getByRole('button', { name: /Reload|Delete/ }).count()).toBe(0);

  expect(page.url()).toBe(`${served.adminOrigin}/_admin`);
  expect(asked.filter((url) => url.includes(everything) || url.includes(pins))).toEqual([]);
  const kept = await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length, history.state]);
  expect(kept).toEqual(['', 0, 0, null]);
  await page.reload();
  expect(await page.getByRole('main').innerText()).toMatch(/^Enter a token/);
});

test('pins a version and serves the latest again after a question, by keyboard alone', async () => {
  const versions = async () => (await sendAdmin(served, 'GET', '/_pin?content=main')) as Record<string, any>;
  await sendAdmin(served, 'POST', '/_changes?content=main', { changes });
  const [{ version: latest }, { version: earlier }] = (await versions()).versions;
  const page = await open(pins);
  const keyboard = new Keyboard(page);
  const main = cardOf(page, 'main');
  await keyboard.use(main.getByRole('button', { name: 'Versions' }), 'Enter');
  await keyboard.use(main.getByRole('button', { name: `Pin: ${earlier}` }), 'Enter');
  const asked = main.getByRole('group');
  await asked.getByText('until further notice').waitFor();
  await keyboard.press('Escape');
  await asked.waitFor({ state: 'detached' });
  expect((await versions()).pinnedSince).toBe(null);
  // the focus is back on the button
  await keyboard.press('Enter', 'Tab', 'Enter');
  await page.getByText(`main: Pinned to ${earlier}`).waitFor();
  expect((await versions()).version).toBe(earlier);
  await keyboard.use(main.getByRole('button', { name: 'Serve the latest' }), 'Enter', 'Tab', 'Enter');
  await page.getByText(`main: Pinned to`).waitFor({ state: 'detached' });
  expect(await versions()).toMatchObject({ version: latest, pinnedSince: null });
});

test('deletes a preview and reloads after a question, and says why a reload is refused', async () => {
  await putPreview('doomed');
  const page = await open();
  const card = cardOf(page, 'doomed');
  await card.getByRole('button', { name: 'Delete' }).click();
  await card.getByRole('button', { name: 'Cancel' }).click();
  await confirm(card, 'Delete');
  await card.waitFor({ state: 'detached' });
  await page.getByText('The preview “doomed” is deleted.').waitFor();
  // the focus goes on
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('previews');
  const { contents } = await sendAdmin(served, 'GET', '/_contents');
  expect(contents.map(({ name }: { name: string }) => name)).not.toContain('doomed');

  const region = page.getByRole('region', { name: 'Contents' });
  await confirm(region, 'Reload');
  await region.getByRole('status').filter({ hasText: 'content' }).waitFor();
  const error = { status: 422, name: 'SnapshotError', message: 'the snapshot has 1 problem:\n  a.json: <b>no</b>' };
  await page.route('**/_reload', (route) => route.fulfill({ status: 422, json: { data: null, error } }));
  await confirm(region, 'Reload');
  expect(await region.getByRole('alert').innerText()).toBe(`422 ${error.message}`);
});

test('shows the changes of a preview, and applies all or chosen ones after conflicts are resolved', async () => {
  const page = await open(null);
  const sent = await stubChanges(page);
  await signIn(page, everything);
  const card = cardOf(page, 'spring');
  await card.getByRole('button', { name: 'Changes' }).click();
  await card.getByText('“Lisbon by bicycle”').waitFor();
  expect(await card.locator('.documents').innerText()).toMatch(
    /lisbon\sarticle.*changed en, published.*title “Lisbon on.*” → “Lisbon by bicycle”.*author ada.*→ nothing.*note is private.*new-one.*added/s,
  );
  await card.getByRole('button', { name: '2 changes as sent' }).click();
  await card.getByText('patch lisbon').click();
  expect(JSON.parse((await card.locator('pre').first().textContent())!)).toEqual(springChanges.lists[0][0]);
  await card.getByRole('button', { name: '3 differences' }).click();
  // what differs because of another document cannot be applied alone
  expect(await card.getByRole('checkbox').count()).toBe(2);
  await card.getByRole('checkbox', { name: /^lisbon/ }).check();
  await confirm(card, /^Apply/);
  await card.getByText('409 The base has no journal').waitFor();
  await card.getByRole('button', { name: /^Apply/ }).click();
  await card.getByText('a restart forgets the changes').waitFor();
  await card.locator('.asked .danger').click();
  await card.getByText('409 The base has changed what is applied').waitFor();
  await card.getByRole('combobox', { name: /^What counts for lisbon title/ }).selectOption('preview');
  await confirm(card, /^Rebase/);
  await card.getByText('Rebased, with 2 changes. 0 from the base, 1 kept.').waitFor();
  await confirm(card, /^Apply/);
  await card.getByText('2 changes are applied as 1795392000000-4, 0 left.').waitFor();
  const { type, documentId, locale, status, attribute } = conflict;
  const previous = springChanges.baseVersion;
  const documents = [{ type, documentId }];
  const resolve = [{ type, documentId, locale, status, attribute, take: 'preview' }];
  await confirm(card, /^Apply all/);
  await waitFor(() => expect(sent).toHaveLength(5));
  expect(sent.map(({ path, body }) => [path.split('/').at(-1), body])).toEqual([
    ['apply', { documents, previous }],
    ['apply', { documents, previous, withoutJournal: true }],
    ['rebase', { resolve, previous }],
    ['apply', { documents, previous, withoutJournal: true }],
    ['apply', { previous, withoutJournal: true }],
  ]);
});

test('asks again while it is visible, shows what is wrong, and keeps what is drawn while the server is away', async () => {
  const page = await open(null);
  await page.clock.install();
  let asked = 0;
  await page.route('**/_status', (route) => {
    asked++;
    return route.fallback();
  });
  const error = { failedAt: '2026-11-28T09:00:00.000Z', message: 'connect ECONNREFUSED' };
  const source = { content: 'main', source: 'https://cms.example', ageSeconds: 540, lagSeconds: 0.3, error };
  await page.route('**/_ready', (route) => route.fulfill({ json: { sources: [{ ...source, failuresInARow: 3 }] } }));
  await page.route('**/_metrics', (route) => route.fulfill({ status: 404, json: {} }));
  await signIn(page, everything);
  await page.clock.runFor(400);
  const main = cardOf(page, 'main');
  await main.getByText('entries').waitFor();
  expect(await main.innerText()).toMatch(/read\s*9 minutes ago\s*shown after\s*0\.3 seconds/);
  expect(await page.getByRole('region', { name: 'Warnings' }).innerText()).toMatch(
    /main: The source cannot be read.*, 3 failures in a row\s+connect ECONNREFUSED/,
  );
  await page.getByText('The setting “metrics” is off').waitFor();

  const element = await main.elementHandle();
  const hide = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  await hide(true);
  await page.clock.runFor(90_000);
  expect(asked).toBe(1);
  await hide(false);
  await page.clock.runFor(400);
  await waitFor(() => expect(asked).toBe(2));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.clock.runFor(400);
  await waitFor(() => expect(asked).toBe(3));
  await page.route('**/_*', (route) => route.abort());
  await waitFor(async () => {
    await page.clock.runFor(5000);
    expect(await page.getByText('The server cannot be reached').count()).toBeGreaterThan(0);
  });
  expect(await element!.evaluate((each) => each.isConnected)).toBe(true);
  expect(await main.innerText()).toMatch(/entries\s*\d/);
});

/** Replies in which every text is hostile. */
async function stubHostile(page: Page): Promise<void> {
  const [name] = hostileNames;
  const listed = {
    version: name,
    entries: 1,
    host: name,
    bytes: 1,
    age: 1,
    lastUsed: name,
    lifetimeLeft: 1,
    error: name,
  };
  const warnings = hostileNames.map((text) => ({ kind: text, count: 2, message: text }));
  const replies: Record<string, object> = {
    _status: {
      token: { name, rights: ['contents', 'changes', 'pin', 'reload', name] },
      contents: [{ name, warnings }],
    },
    _ready: {
      reload: { failedAt: name, error: name },
      journal: name,
      pinned: [{ content: name, version: name, since: name }],
      sources: [
        { content: name, source: name, ageSeconds: 1, lagSeconds: 1, error: { failedAt: name, message: name } },
      ],
    },
    _contents: {
      contents: [{ name, ...listed }, ...hostileNames.map((each) => ({ name: each, base: each, ...listed }))],
    },
    _pin: { version: name, latest: name, pinnedSince: name, versions: [{ version: name, madeAt: name, changed: 1 }] },
  };
  const metrics = `lectern_cache_bytes{cache="${name.replaceAll('"', '\\"')}"} 1\nlectern_build_info{version="<b>",node="<i>",commit="<u>"} 1`;
  await page.route('**/_metrics', (route) => route.fulfill({ body: metrics }));
  for (const [path, json] of Object.entries(replies)) {
    await page.route(new RegExp(`/${path}(\\?.*)?$`), (route) => route.fulfill({ json }));
  }
  const { differences } = springChanges;
  const entries = hostileNames.map((text, i) => ({
    ...{ type: text, documentId: text, id: null, locale: text, status: text, kind: 'changed' },
    changes: [{ path: text, kind: 'value', before: text, after: i % 2 === 0 ? { [text]: text } : text }],
  }));
  const roles = [{ role: name, kind: 'added', permissions: { added: [...hostileNames], removed: [] } }];
  await stubChanges(
    page,
    {
      ...{ ...springChanges, base: name, baseVersion: name, fit: { fits: false, problems: hostileNames, count: 1 } },
      lists: [hostileNames.map((text) => ({ patch: text, documentId: text, set: { [text]: text } }))],
      differences: { ...differences, roles, entries },
    },
    () => {
      const conflicts = hostileNames.map((text) => ({ ...conflict, documentId: text, attribute: text, base: text }));
      return [409, { data: null, error: { status: 409, name, message: name, details: { conflicts } } }];
    },
  );
}

test('shows hostile names and values as text, in the width of a phone', async () => {
  const page = await open(null, { viewport: { width: 390, height: 800 } });
  await stubHostile(page);
  await signIn(page, everything);
  await page
    .getByRole('button', { name: /^Versions/ })
    .first()
    .click();
  const preview = page.getByRole('region', { name: 'Previews' }).locator('.card').first();
  await preview.getByRole('button', { name: /^Changes/ }).click();
  await preview.getByRole('button', { name: /^Rebase/ }).click();
  await preview.locator('.asked .danger').click();
  await preview.getByRole('combobox').first().waitFor();
  await page.getByRole('button', { name: 'Delete' }).first().click();
  for (const view of [/as sent$/, /differences?$/]) {
    await preview.getByRole('button', { name: view }).click();
    for (const text of [hostileNames[0], hostileNames[8]]) {
      expect(await preview.locator('.documents').first().textContent()).toContain(text);
    }
    expect(await foreignElements(page, [], 'section ol strong ins del br h3')).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
  }
});

test('has no violation of WCAG 2.2 AA that axe finds, light or dark, narrow or wide', async () => {
  const page = await open(null);
  // the policy of the page refuses a script element
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const check = async (state: string) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate(async () => {
        const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
        const options: axe.RunOptions = {
          runOnly: tags,
          resultTypes: ['violations'],
          preload: false,
          selectors: false,
        };
        const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, options);
        return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
      });
      expect(found, `${state}, ${width} pixels, ${colorScheme}`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  };
  await check('without a token');
  await stubChanges(page);
  await signIn(page, 'guessed');
  await page.getByRole('alert').waitFor();
  await check('with an unknown token');
  await signIn(page, everything);
  await cardOf(page, 'main').getByRole('button', { name: 'Versions' }).click();
  await page.getByText('shop: unknown-key').click();
  const card = cardOf(page, 'spring');
  await card.getByRole('button', { name: 'Changes' }).click();
  await card.getByRole('button', { name: /^Apply all/ }).click();
  await check('with versions, changes and a question');
  await card.locator('.asked .danger').click();
  await card.getByText('409 The base has no journal').waitFor();
  await confirm(card, /^Apply all/);
  await card.getByRole('combobox').waitFor();
  await check('with a conflict');
});
