import { type Browser, chromium, type Page, type ViewportSize } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';

/** Pages in contexts of their own, and what goes wrong in them. */

declare global {
  interface Window {
    /** The number of requests of the page whose replies it has not read yet. */
    pendingReplies: number;
  }
}

export interface PageOptions {
  readonly viewport?: ViewportSize;
  readonly reducedMotion?: 'reduce' | 'no-preference';
  /** Whether no earlier test has used the page. Default: false. */
  readonly isNew?: boolean;
  /** Milliseconds after which the test is told that an element does not appear. */
  readonly timeout?: number;
}

interface WatchedPage {
  readonly page: Page;
  /** Where the test has gone in it. */
  readonly origins: Set<string>;
  readonly isNew: boolean;
}

let browser: Browser;

/** The pages of the present test. */
const used: WatchedPage[] = [];

/** Empty pages that earlier tests of the file have left. A new one takes 100 ms of processor time. */
const free: WatchedPage[] = [];

/** Whatever must never happen in a page: scripts of content, violations of the policy, requests to other servers. */
const incidents: string[] = [];

/** Connects to the browser of the run, and checks after each test that nothing happened that must not. */
export function connectBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.connect(inject('browserAddress'));
  });
  afterAll(async () => {
    free.length = 0;
    await browser.close();
  });
  afterEach(async () => {
    await Promise.all(used.splice(0).map(leave));
    expect(incidents.splice(0)).toEqual([]);
  });
}

/** Closes a page, or empties it for the next test. */
async function leave(watched: WatchedPage): Promise<void> {
  const { page, origins, isNew } = watched;
  if (isNew) return page.context().close();
  await page.goto('about:blank');
  origins.clear();
  free.push(watched);
}

/**
 * Opens an empty page at 1280 pixels. Nothing moves in it: each frame of a transition takes processor time. Unless it has
 * to be new, it is one of an earlier test, whose listeners stay: a test that changes more of it takes a new one.
 */
export async function openPage(options: PageOptions = {}): Promise<Page> {
  const { isNew = false, timeout = 15_000, reducedMotion = 'reduce' } = options;
  const { viewport = { width: 1280, height: 900 } } = options;
  const watched = (isNew ? undefined : free.pop()) ?? (await watchedPage(isNew));
  used.push(watched);
  const { page } = watched;
  page.setDefaultTimeout(timeout);
  await page.setViewportSize(viewport);
  await page.emulateMedia({ reducedMotion, colorScheme: null });
  return page;
}

async function watchedPage(isNew: boolean): Promise<WatchedPage> {
  const context = await browser.newContext({ locale: 'en' });
  await context.exposeFunction('reportIncident', (text: string) => void incidents.push(text));
  await context.addInitScript(watch);
  const page = await context.newPage();
  const origins = new Set<string>();
  page.on('framenavigated', () => origins.add(new URL(page.url()).origin));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) origins.add(url.origin);
    else if (url.protocol !== 'data:' && !origins.has(url.origin)) incidents.push(`request to ${url}`);
  });
  page.on('dialog', (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => incidents.push(`popup: ${popup.url()}`));
  page.on('download', (download) => incidents.push(`download: ${download.url()}`));
  page.on('pageerror', (error) => incidents.push(`error: ${error.stack}`));
  page.on('console', (message) => {
    // the browser reports every 4xx of fetch
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) {
      incidents.push(`console: ${message.text()}`);
    }
  });
  return { page, origins, isNew };
}

/** Returns what has gone wrong so far, and forgets it. For tests that provoke it. */
export function takeIncidents(): string[] {
  return incidents.splice(0);
}

/** Runs in the page before its scripts. Hostile values set the flag `scriptRan`. */
function watch(): void {
  const report = (text: string) => (window as unknown as { reportIncident(text: string): void }).reportIncident(text);
  document.addEventListener('securitypolicyviolation', (event) => {
    report(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
  Object.defineProperty(window, 'scriptRan', { set: (value) => report(`script of content: ${value}`) });
  window.open = (url) => {
    report(`window.open: ${url}`);
    return null;
  };
  // here and not by events of the browser, each of which takes its way through three processes
  const { fetch } = window;
  window.pendingReplies = 0;
  window.fetch = async (...request) => {
    const settle = () => {
      window.pendingReplies--;
    };
    window.pendingReplies++;
    try {
      const reply = await fetch(...request);
      const read = reply.arrayBuffer.bind(reply);
      reply.arrayBuffer = () => read().finally(settle);
      return reply;
    } catch (error) {
      settle();
      throw error;
    }
  };
}
