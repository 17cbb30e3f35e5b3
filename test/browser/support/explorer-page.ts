import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { waitFor } from '../../support/wait.ts';
import { openPage, type PageOptions } from './watched-page.ts';

/** What a test asks the explorer to show first. */
export interface Opened {
  /** Below the prefix, such as `articles?sort=title`. Without it, the first type. */
  readonly url?: string;
  /** The query string of the page, such as `view=tree&plan`. */
  readonly search?: string;
  /** In front of `/_explorer`. */
  readonly base?: string;
  readonly prefix?: string;
  readonly page?: PageOptions;
}

/** The explorer in a page, as a reader finds its parts: by their roles and names. */
export class ExplorerPage {
  readonly page: Page;
  readonly urlLine: Locator;
  readonly status: Locator;
  readonly types: Locator;
  readonly content: Locator;

  private constructor(page: Page) {
    this.page = page;
    this.urlLine = page.getByRole('textbox', { name: 'URL', exact: true });
    this.status = page.getByRole('status').filter({ has: page.locator('dl') });
    this.types = page.getByRole('list', { name: 'Content types' });
    this.content = page.getByRole('navigation', { name: 'Content' });
  }

  /** Opens a page and waits for the first reply. */
  static async open(origin: string, opened: Opened = {}): Promise<ExplorerPage> {
    const page = await openPage(opened.page);
    const explorer = new ExplorerPage(page);
    await page.goto(`${origin}${addressOf(opened)}`);
    await explorer.urlLine.waitFor();
    await explorer.settled();
    return explorer;
  }

  /** Goes to another address of the page, as a link does. */
  async go(opened: Opened): Promise<void> {
    await this.page.goto(new URL(addressOf(opened), this.page.url()).href);
    await this.settled();
  }

  /** Resolves when the page shows the reply to what its URL line says. */
  settled(): Promise<void> {
    return this.page.evaluate(pageIsSettled);
  }

  /** Resolves when the page has drawn what was done, though perhaps not the reply. */
  drawn(): Promise<unknown> {
    return this.page.evaluate(async () => {
      for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    });
  }

  /** The URL as the line shows it. */
  url(): Promise<string> {
    return this.urlLine.inputValue();
  }

  /** Waits until the line shows a URL, and the page its reply. */
  async shows(url: string): Promise<void> {
    await waitFor(async () => expect(await this.url()).toBe(url));
    await this.settled();
  }

  /** The total of the status line. Null if it shows none. */
  async total(): Promise<number | null> {
    const [, total] = /total\s*([\d,]+)/.exec(await this.status.innerText()) ?? [];
    return total === undefined ? null : Number(total.replaceAll(',', ''));
  }

  /** The texts of a column of the table, as far as it is in view. */
  async column(name: string): Promise<string[]> {
    const table = this.page.getByRole('region', { name: 'Reply as a table' });
    const heads = await table.locator('th').evaluateAll((cells) => cells.map((cell) => cell.textContent.trim()));
    const column = heads.findIndex((head) => head.replace(/\s*[↑↓]$/, '') === name) + 1;
    if (column === 0) throw new Error(`no column ${name} among ${heads.join(', ')}`);
    return table.locator(`td[aria-colindex="${column}"]`).evaluateAll((cells) => cells.map((cell) => cell.textContent));
  }

  /** Gives the page a token, and waits for what it may read. */
  async signIn(token: string): Promise<void> {
    const field = this.page.getByLabel('Token', { exact: true });
    await field.fill(token);
    await field.press('Enter');
    await this.settled();
  }

  /** All that is readable on the page, with names for people who do not see it and the values of its fields. */
  text(): Promise<string> {
    return this.page.evaluate(() => {
      const named = Array.from(document.querySelectorAll('[aria-label], [title]'));
      const fields = Array.from(document.querySelectorAll('input, select'));
      return [
        document.body.textContent,
        ...named.flatMap((each) => [each.getAttribute('aria-label'), each.getAttribute('title')]),
        ...fields.map((field) => (field as HTMLInputElement).value),
      ].join('\n');
    });
  }
}

/** Returns the address of a page of the explorer. */
export function addressOf({ url, search = '', base = '', prefix = '/api' }: Opened): string {
  return `${base}/_explorer${search && `?${search}`}${url === undefined ? '' : `#${prefix}/${url}`}`;
}

/** Runs in the page. A reply is requested after a delay, so the page is asked several times. */
async function pageIsSettled(): Promise<void> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const isBusy = () => {
    const status = document.querySelector('[role=status][aria-busy]');
    const isWaiting = !document.querySelector('[role=alert]') && !status?.querySelector('dd');
    if (window.pendingReplies > 0) return true;
    return status ? status.getAttribute('aria-busy') === 'true' || isWaiting : !document.querySelector('main.message');
  };
  for (let quiet = 0; quiet < 2; quiet++) {
    await frame();
    while (isBusy()) {
      quiet = 0;
      // a request for a frame would have the browser draw one
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
