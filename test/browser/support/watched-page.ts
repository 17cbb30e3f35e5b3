import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';

/** Pages in contexts of their own, and what goes wrong in them. */

export interface PageOptions extends BrowserContextOptions {
  /** Milliseconds after which the test is told that an element does not appear. */
  readonly timeout?: number;
}

let browser: Browser;
const contexts: BrowserContext[] = [];

/** Whatever must never happen in a page: scripts of content, violations of the policy, requests to other servers. */
const incidents: string[] = [];

/** Connects to the browser of the run, and checks after each test that nothing happened that must not. */
export function connectBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.connect(inject('browserAddress'));
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(incidents.splice(0)).toEqual([]);
  });
}

/** Opens an empty page at 1280 pixels. Nothing moves in it: each frame of a transition takes processor time. */
export async function newPage({ timeout = 15_000, ...options }: PageOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en',
    reducedMotion: 'reduce',
    ...options,
  });
  contexts.push(context);
  context.setDefaultTimeout(timeout);
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
  return page;
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
}
