import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { closeServers, listen } from '../support/http.ts';
import { sha256 } from '../support/sha256.ts';
import type { ServingProcess } from '../support/threads.ts';
import { waitFor } from '../support/wait.ts';
import { writeSmallSnapshot } from './content/small-snapshot.ts';
import { startServed } from './support/serving.ts';

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
});
afterAll(async () => {
  closeServers();
  await browser.close();
});

async function newPage() {
  const context = await browser.newContext();
  contexts.push(context);
  context.setDefaultTimeout(15_000);
  return context.newPage();
}

interface Sites {
  /** Where the preview `pr` is served. */
  readonly site: string;
  /** Where an editor's tool shows a page. */
  readonly tool: string;
  readonly toolPort: number;
  /** Of the log, which has one for each request. */
  readonly lines: ServingProcess['lines'];
  /** Sets the page of the tool. */
  show(html: string): void;
  /** Returns a link that opens the preview at a path. */
  link(path?: string): Promise<string>;
}

/** Starts a server with the preview `pr`, and another one with a page of an editor's tool, for the tests of a suite. */
function serveBoth(cookie: object = {}): Sites {
  const sites = {} as Sites;
  let server: ServingProcess;
  beforeAll(async () => {
    let toolPage = '';
    const toolPort = await listen((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(toolPage);
    });
    const tool = `http://admin.localhost:${toolPort}`;
    server = await startServed(`main=${writeSmallSnapshot({ documentId: 'lisbon', title: 'Lisbon' })}`, {
      public: true,
      adminPort: 0,
      admin: { tokens: [{ name: 'ci', sha256: sha256('admin'), rights: ['contents'] }] },
      contents: {
        folder: temporaryFolder(),
        cookie: { ...cookie, ...('sameSite' in cookie && { frameAncestors: [tool] }) },
      },
      log: { format: 'json', requests: true, slowMilliseconds: 0 },
      cors: { origins: [tool], credentials: true },
    });
    const { port, adminPort, lines } = server;
    const send = async (method: string, path: string, body: object) => {
      const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
      const reply = await fetch(`http://127.0.0.1:${adminPort}${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      expect(reply.ok, path).toBe(true);
      return reply.json();
    };
    const changes = [{ upsert: 'api::article.article', entry: { documentId: 'lisbon', title: 'edited' } }];
    await send('PUT', '/_contents/pr', { base: 'main', changes, token: 'secret' });
    const site = `http://cms.localhost:${port}`;
    const link = async (path = '/api/articles') => site + (await send('POST', '/_contents/pr/ticket', { path })).url;
    const show = (html: string) => {
      toolPage = `<!doctype html><title>tool</title>${html}`;
    };
    Object.assign(sites, { site, tool, toolPort, lines, show, link });
  });
  afterAll(() => server?.child.kill('SIGKILL'));
  return sites;
}

const sites = serveBoth();

test('a link on the page of a tool opens the preview, and scripts of the tool read nothing with its cookie', async () => {
  const { site, tool, show, link } = sites;
  const page = await newPage();
  show(`<a href="${await link()}">Preview</a>`);
  await page.goto(tool);
  await page.getByText('Preview').click();
  await page.waitForURL(`${site}/pr/api/articles`);
  expect(await page.textContent('body')).toContain('edited');
  expect(await page.evaluate(() => document.cookie)).toBe('');

  // a second visit by a plain link, and by an entered address
  show(`<a href="${site}/pr/api/articles">Again</a>`);
  await page.goto(tool);
  await page.getByText('Again').click();
  await page.waitForURL(`${site}/pr/api/articles`);
  expect(await page.textContent('body')).toContain('edited');

  await page.goto(tool);
  const read = await page.evaluate(async (url) => {
    const reply = await fetch(url, { credentials: 'include' });
    return [reply.status, await reply.text()] as const;
  }, `${site}/pr/api/articles`);
  expect(read).toEqual([403, expect.not.stringContaining('edited')]);
});

test('the explorer and the start page of the preview read with the cookie', async () => {
  const { site, link } = sites;
  const page = await newPage();
  await page.goto(await link('/'));
  await page.waitForURL(`${site}/pr/`);
  await page.getByRole('link', { name: '/pr/api/articles', exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'explorer' }).click();
  await page.getByText('edited').first().waitFor();
});

test('a browser without the cookie gets a page that says how to get in', async () => {
  const { site } = sites;
  const page = await newPage();
  const reply = await page.goto(`${site}/pr/api/articles`);
  expect(reply!.status()).toBe(403);
  await page.getByRole('heading', { name: 'This preview needs a link' }).waitFor();
});

describe('with a cookie for frames', () => {
  const inFrames = serveBoth({ sameSite: 'none' });

  test('a frame of a listed admin panel shows the preview, and a frame of another site does not', async () => {
    const { site, tool, toolPort, show, link } = inFrames;
    const page = await newPage();
    show(`<iframe src="${await link()}"></iframe>`);
    await page.goto(tool);
    await page.frameLocator('iframe').getByText('edited').waitFor();
    const read = await page.evaluate(async (url) => {
      const reply = await fetch(url, { credentials: 'include' });
      return reply.status;
    }, `${site}/pr/api/articles`);
    expect(read).toBe(403);

    show(`<iframe src="${await link()}"></iframe>`);
    await page.goto(`http://evil.localhost:${toolPort}`);
    await page.waitForLoadState('networkidle');
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    const texts = await Promise.all(frames.map((frame) => frame.content().catch(() => '')));
    expect(texts.join()).not.toContain('edited');
  });
});

test('a page on another port of the same host reads nothing with the cookie', async () => {
  const { site, toolPort, show, link, lines } = sites;
  const page = await newPage();
  await page.goto(await link());
  expect(await page.textContent('body')).toContain('edited');
  show('');
  await page.goto(`http://cms.localhost:${toolPort}/pr/`);
  const url = `${site}/pr/api/articles?by=port`;
  // the browser sends the cookie, because the host is the same
  expect(await page.context().cookies(url)).toMatchObject([{ name: 'lectern-preview', sameSite: 'Lax' }]);
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
  // the log has a digest of the query
  const isAsked = ({ path, query }: Record<string, unknown>) => path === '/pr/api/articles' && query !== undefined;
  const statuses = () => lines.filter(isAsked).map(({ status }) => status);
  await waitFor(() => expect(statuses()).toEqual([403, 403, 403]));
});
