import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { ExplorerPage } from './support/explorer-page.ts';
import { fullAccess, serve } from './support/serving.ts';
import { connectBrowser } from './support/watched-page.ts';

/** The page shows no name, value or count that its caller may not read. */

connectBrowser();
const served = serve(writeLedgers);

/** Names and values that only callers with more rights may read, each nowhere else. */
const secrets = ['ledger', 'quarrington', 'zanzibarite', 'vermilionary', 'auditorium', 'Hidden ledgers', '7919'];

/** Notes are public. Ledgers are not, and private attributes are nobody's. */
function writeLedgers(): string {
  const folder = temporaryFolder('lectern-ledgers-');
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(value));
  };
  write('content-types/note.json', {
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    attributes: {
      title: { type: 'string' },
      kind: { type: 'enumeration', enum: ['plain', 'marked'] },
      vermilionary: { type: 'string', private: true },
      ledger: { type: 'relation', relation: 'manyToOne', target: 'api::ledger.ledger', inversedBy: 'notes' },
    },
  });
  write('content-types/ledger.json', {
    info: { singularName: 'ledger', pluralName: 'ledgers', displayName: 'Hidden ledgers', description: 'quarrington' },
    attributes: {
      quarrington: { type: 'string' },
      grade: { type: 'enumeration', enum: ['zanzibarite'] },
      notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'ledger' },
    },
  });
  write(
    'entries/note.json',
    Array.from({ length: 30 }, (_, i) => ({
      documentId: `note-${i}`,
      title: `Note ${i}`,
      kind: i % 3 === 0 ? 'marked' : 'plain',
      vermilionary: 'vermilionary',
      ledger: `ledger-${i % 4}`,
    })),
  );
  write(
    'entries/ledger.json',
    Array.from({ length: 4 }, (_, i) => ({
      documentId: `ledger-${i}`,
      quarrington: 'value 7919',
      grade: 'zanzibarite',
    })),
  );
  write('roles.json', [
    { type: 'public', name: 'Public', permissions: ['api::note.note.find'] },
    { type: 'auditorium', name: 'Auditorium', permissions: ['api::note.note.find', 'api::ledger.ledger.find'] },
  ]);
  return folder;
}

/** What could ask for more than a caller may read. What a URL names itself is left out of the page before it is searched. */
const urls = [
  'notes',
  'notes?populate=*',
  'notes?populate[ledger]=true',
  'notes?filters[ledger][quarrington][$eq]=value 7919',
  'notes?filters[vermilionary][$contains]=v',
  'notes?sort=ledger.quarrington',
  'notes?facets=ledger.grade,kind',
  'notes?fields=vermilionary',
  'ledgers',
  'ledgers/ledger-1?populate=*',
];

test('to a caller without rights', async () => {
  const explorer = await ExplorerPage.open(served.origin, { url: 'notes', search: 'plan' });
  for (const search of ['plan', 'view=raw']) {
    for (const url of urls) {
      await explorer.go({ url, search });
      const own = decodeURIComponent(url);
      const text = await explorer.text();
      const named = secrets.filter(
        (secret) => !own.includes(secret) && text.toLowerCase().includes(secret.toLowerCase()),
      );
      expect(named, `${search} ${url}`).toEqual([]);
      // the counts of a plan
      expect(await explorer.page.getByRole('table').filter({ hasText: 'estimated' }).count()).toBe(0);
    }
  }
  await explorer.go({ url: 'ledgers' });
  expect(await explorer.page.getByRole('alert').innerText()).toMatch(/40[34]/);
  expect(await explorer.total()).toBeNull();
});

test('to a caller with full access who reads as a role without rights, and after the token is gone', async () => {
  const explorer = await ExplorerPage.open(served.origin, { url: 'notes' });
  await explorer.signIn(fullAccess);
  const { page } = explorer;
  await explorer.go({ url: 'ledgers?facets=grade' });
  const everything = await explorer.text();
  for (const secret of ['quarrington', 'zanzibarite', 'Hidden ledgers', '7919']) expect(everything).toContain(secret);
  const rights = () => page.locator('nav').textContent();
  await page.getByLabel('Read as').selectOption('public');
  await explorer.settled();
  expect(await rights()).not.toMatch(/ledger|quarrington|zanzibarite/i);
  await explorer.go({ url: 'notes?populate=*' });
  const shown = await page.locator('main, nav').allTextContents();
  expect(shown.join()).not.toMatch(/quarrington|zanzibarite|7919|Hidden/);
  await explorer.signIn('');
  const text = await explorer.text();
  expect(secrets.filter((secret) => text.toLowerCase().includes(secret.toLowerCase()))).toEqual([]);
});

test('whose browser asks for nothing that is refused, unless its URL does', async () => {
  const explorer = await ExplorerPage.open(served.origin, { url: 'notes?facets=kind' });
  const { page } = explorer;
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  await page.getByRole('button', { name: '+ Filter' }).click();
  await page.getByRole('combobox', { name: 'Value' }).fill('a');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'plan', exact: true }).click();
  await page.getByRole('button', { name: '+ Sort' }).click();
  await explorer.settled();
  expect(refused).toEqual([]);
});
