import type { Locator, Page } from 'playwright-core';
import { temporaryFolder } from '../../support/folders.ts';
import { sha256 } from '../../support/sha256.ts';
import { writeSmallSnapshot } from '../content/small-snapshot.ts';
import { type Served, serve } from './serving.ts';
import { openPage, type PageOptions } from './watched-page.ts';

/** The tokens of the admin port, by what they may do. */
export const adminTokens = {
  everything: 'may-do-everything-0f3c9',
  pins: 'may-pin-0f3c9',
  reloads: 'may-reload-0f3c9',
};

const rightsOf = {
  everything: ['changes', 'contents', 'events', 'hooks', 'pin', 'reload'],
  pins: ['pin'],
  reloads: ['reload'],
};

/** Serves two small contents with an admin port: `main`, and `shop` with a warning. */
export function serveWithAdmin(): Served {
  const tokens = Object.entries(adminTokens).map(([name, token]) => ({
    name,
    sha256: sha256(token),
    rights: rightsOf[name as keyof typeof rightsOf],
  }));
  const settings = {
    adminPort: 0,
    admin: { tokens },
    contents: { folder: temporaryFolder(), domain: 'preview.example.org' },
    tolerance: 'tolerant',
  };
  return serve(() => `main=${writeSmallSnapshot({ documentId: 'lisbon', title: 'Lisbon on foot' })}`, settings, [
    `shop=${writeSmallSnapshot({ documentId: 'tent', title: 'Tent', colour: 'red' })}`,
  ]);
}

/** Sends a request of a program to the admin port. Throws for an error. */
export async function sendAdmin({ adminOrigin }: Served, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(adminOrigin + path, {
    method,
    headers: { Authorization: `Bearer ${adminTokens.everything}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** Opens the page, with a token unless it is null. */
export async function openAdmin(origin: string, token: string | null, options: PageOptions = {}): Promise<Page> {
  const page = await openPage({ ...options, isNew: true });
  await page.goto(`${origin}/_admin`);
  const field = page.getByLabel('Token', { exact: true });
  await field.waitFor();
  if (token !== null) {
    await field.fill(token);
    await field.press('Enter');
  }
  return page;
}

/** The card of a content or preview. */
export function cardOf(page: Page, name: string): Locator {
  return page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3, name, exact: true }) });
}
