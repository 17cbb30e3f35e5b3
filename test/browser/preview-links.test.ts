import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { folderOfSnapshots, startContents, stopAll } from '../contents/running-contents.ts';
import { sha256 } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { waitFor } from '../support/wait.ts';

/**
 * Links that open a preview, in a browser that keeps the cookie: which requests of which sites read with it. Hosts below
 * `localhost` are sites of their own, and secure without HTTPS.
 */

let browser: Browser;
const contexts: BrowserContext[] = [];
beforeAll(async () => {
  browser = await chromium.connect(inject('browserAddress'));
});
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  await stopAll();
  closeServers();
});
afterAll(() => browser.close());

async function newPage() {
  const context = await browser.newContext();
  contexts.push(context);
  context.setDefaultTimeout(15_000);
  return context.newPage();
}

/** Starts a server with the preview `pr`, and another one with a page of an editor's tool. */
async function start(cookie: object = {}) {
  let toolPage = '';
  const toolPort = await listen((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(toolPage);
  });
  const tool = `http://admin.localhost:${toolPort}`;
  const folder = folderOfSnapshots();
  const { put, port, adminPort, lines } = await startContents({
    folder,
    settings: {
      admin: { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents'] }] },
      contents: { folder, cookie: { ...cookie, ...('sameSite' in cookie && { frameAncestors: [tool] }) } },
      log: { requests: true, slowMilliseconds: 0 },
      cors: { origins: [tool], credentials: true },
    },
  });
  const changes = [{ upsert: 'api::thing.thing', entry: { documentId: 'one', title: 'edited' } }];
  expect((await put('pr', { body: { base: 'main', changes, token: 'secret' } })).status).toBe(201);
  const site = `http://cms.localhost:${port}`;
  return {
    site,
    tool,
    toolPort,
    /** Of the log, which has one for each request to the site. */
    lines,
    show: (html: string) => {
      toolPage = `<!doctype html><title>tool</title>${html}`;
    },
    link: async (path = '/api/things') => {
      const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
      const body = JSON.stringify({ path });
      const { json } = await askServer(adminPort, '/_contents/pr/ticket', { method: 'POST', headers, body });
      return `${site}${json().url}`;
    },
  };
}

test('a link on the page of a tool opens the preview, and scripts of the tool read nothing with its cookie', async () => {
  const { site, tool, show, link } = await start();
  const page = await newPage();
  show(`<a href="${await link()}">Preview</a>`);
  await page.goto(tool);
  await page.getByText('Preview').click();
  await page.waitForURL(`${site}/pr/api/things`);
  expect(await page.textContent('body')).toContain('edited');
  expect(await page.evaluate(() => document.cookie)).toBe('');

  // a second visit by a plain link, and by an entered address
  show(`<a href="${site}/pr/api/things">Again</a>`);
  await page.goto(tool);
  await page.getByText('Again').click();
  await page.waitForURL(`${site}/pr/api/things`);
  expect(await page.textContent('body')).toContain('edited');

  await page.goto(tool);
  const read = await page.evaluate(async (url) => {
    const reply = await fetch(url, { credentials: 'include' });
    return [reply.status, await reply.text()] as const;
  }, `${site}/pr/api/things`);
  expect(read).toEqual([403, expect.not.stringContaining('edited')]);
});

test('the explorer and the start page of the preview read with the cookie', async () => {
  const { site, link } = await start();
  const page = await newPage();
  await page.goto(await link('/'));
  await page.waitForURL(`${site}/pr/`);
  await page.getByRole('link', { name: '/pr/api/things', exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'explorer' }).click();
  await page.getByText('edited').first().waitFor();
});

test('a browser without the cookie gets a page that says how to get in', async () => {
  const { site } = await start();
  const page = await newPage();
  const reply = await page.goto(`${site}/pr/api/things`);
  expect(reply!.status()).toBe(403);
  await page.getByRole('heading', { name: 'This preview needs a link' }).waitFor();
});

test('a frame of a listed admin panel shows the preview, and a frame of another site does not', async () => {
  const { site, tool, toolPort, show, link } = await start({ sameSite: 'none' });
  const page = await newPage();
  show(`<iframe src="${await link()}"></iframe>`);
  await page.goto(tool);
  await page.frameLocator('iframe').getByText('edited').waitFor();
  const read = await page.evaluate(async (url) => {
    const reply = await fetch(url, { credentials: 'include' });
    return reply.status;
  }, `${site}/pr/api/things`);
  expect(read).toBe(403);

  show(`<iframe src="${await link()}"></iframe>`);
  await page.goto(`http://evil.localhost:${toolPort}`);
  await page.waitForLoadState('networkidle');
  const frames = page.frames().filter((frame) => frame !== page.mainFrame());
  const texts = await Promise.all(frames.map((frame) => frame.content().catch(() => '')));
  expect(texts.join()).not.toContain('edited');
});

test('a page on another port of the same host reads nothing with the cookie', async () => {
  const { site, toolPort, show, link, lines } = await start();
  const page = await newPage();
  await page.goto(await link());
  expect(await page.textContent('body')).toContain('edited');
  show('');
  await page.goto(`http://cms.localhost:${toolPort}/pr/`);
  const url = `${site}/pr/api/things`;
  // the browser sends the cookie, because the host is the same
  expect(await page.context().cookies(url)).toMatchObject([{ name: 'lectern-preview', sameSite: 'Lax' }]);
  const earlier = lines.length;
  await page.evaluate(async (address) => {
    const image = new Image();
    const settled = new Promise((resolve) => {
      image.onload = resolve;
      image.onerror = resolve;
    });
    image.src = address;
    await settled;
    await fetch(address, { credentials: 'include', mode: 'no-cors' });
    await fetch(address, { credentials: 'include' }).catch(() => {});
  }, url);
  await waitFor(() => expect(lines.slice(earlier).map(({ status }) => status)).toEqual([403, 403, 403]));
});
