/** The page of an editor's tool that shows a site in a frame, as Strapi's admin panel does, in a browser. */
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { findChromium } from '../browser/support/chromium.ts';

export interface Seen {
  /** The heading in the frame when the address has been opened, and after a save. */
  readonly opened: string | null;
  readonly saved: string | null;
  /** Whether a frame of another tool shows the heading. */
  readonly elsewhere: boolean;
}

/**
 * Opens an address in a frame of a page of `port` at 127.0.0.1. That is another site than localhost, whose cookies the
 * browser keeps apart. `save` returns the heading to wait for.
 */
export async function showInFrame(address: string, port: number, save: () => Promise<string>): Promise<Seen> {
  const tool = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end(`<iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`);
  });
  await new Promise<void>((resolve) => tool.listen(port, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [
      // root has no sandbox
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      // no page reaches another machine, and none gets cookies of another site that are not partitioned
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      '--test-third-party-cookie-phaseout',
    ],
  });
  try {
    const headingAt = async (host: string) => {
      const page = await browser.newPage();
      await page.goto(`http://${host}:${port}/`);
      const heading = page.frameLocator('iframe').locator('h1');
      const text = await heading.textContent({ timeout: 10_000 }).catch(() => null);
      return { page, heading, text };
    };
    const { page, heading, text: opened } = await headingAt('127.0.0.1');
    const expected = await save();
    await page.evaluate((origin) => frames[0].postMessage({ type: 'strapiUpdate' }, origin), new URL(address).origin);
    await heading
      .filter({ hasText: expected })
      .waitFor({ timeout: 10_000 })
      .catch(() => null);
    const saved = await heading.textContent();
    // Chromium says in the frame that the site is blocked
    const { text } = await headingAt('localhost');
    return { opened, saved, elsewhere: text === saved };
  } finally {
    await browser.close();
    tool.close();
  }
}
