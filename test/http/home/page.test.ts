import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { createListener } from '../../../src/http/app.ts';
import { dialectDifferences } from '../../../src/http/home/page.ts';
import { type JsonSnapshot, open } from '../../../src/index.ts';
import { closeServers, listen } from '../../support/http.ts';
import { openShared } from '../../support/open-shared.ts';

/** The page at `/` for real content. */

afterEach(closeServers);

/** Starts a server and returns its address. */
const addressOf = async (listener: RequestListener) => `http://127.0.0.1:${await listen(listener)}`;

interface Body {
  data: object[] | null;
  error?: { name: string };
}

const demo = new URL('../../../data/demo', import.meta.url).pathname;

const find = (...names: string[]) => names.map((name) => `api::${name}.${name}.find`);

/** Types with difficult names and values, one of them private. */
function small(permissions: string[]): JsonSnapshot {
  return {
    contentTypes: [
      {
        info: { singularName: 'cafe', pluralName: 'cafes' },
        attributes: {
          name: { type: 'string' },
          owner: { type: 'relation', relation: 'manyToOne', target: 'api::person.person' },
        },
      },
      { info: { singularName: 'person', pluralName: 'people' }, attributes: { full_name: { type: 'string' } } },
      { info: { singularName: 'measure', pluralName: 'measures' }, attributes: { value: { type: 'integer' } } },
      {
        kind: 'singleType',
        info: { singularName: 'home', pluralName: 'homes' },
        attributes: { text: { type: 'text' } },
      },
    ],
    entries: {
      cafe: [
        { documentId: 'a', name: `"Zoë's" <b>&amp; 100%</b> 🍰 + Co`, owner: 'p' },
        { documentId: 'b', name: null },
      ],
      person: [{ documentId: 'p', full_name: 'Ünal & Sons' }],
      measure: [{ documentId: 'm', value: 3 }],
      home: [{ documentId: 'h', text: 'Hello' }],
    },
    roles: [{ type: 'public', permissions }],
  };
}

/** The links of the examples, as a browser reads them from the HTML. */
async function exampleLinks(url: string): Promise<string[]> {
  const page = await (await fetch(url)).text();
  const list = page.slice(page.indexOf('<ol>'));
  return [...list.matchAll(/href="([^"]*)"/g)].map(([, href]) =>
    href.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
  );
}

describe('page at /', () => {
  test.each([
    ['the demo', () => openShared(demo), 5],
    ['types with relations', () => open(small(find('cafe', 'person', 'measure', 'home'))), 5],
    ['a relation that may not be followed', () => open(small(find('cafe'))), 5],
    ['a type without text', () => open(small(find('measure'))), 5],
    ['the strapi dialect', () => open(small(find('cafe', 'person')), { dialect: 'strapi' }), 5],
  ])('%s: five links that find something', async (_, load, count) => {
    const url = await addressOf(createListener(await load()));
    const links = await exampleLinks(url);
    expect(links).toHaveLength(count);
    expect(new Set(links).size).toBe(count);
    for (const link of links) {
      const answer = await fetch(url + link);
      const body = (await answer.json()) as Body;
      expect(answer.status, `${link}: ${JSON.stringify(body)}`).toBe(200);
      if (!link.includes('$not')) expect(body.data?.length, link).toBeGreaterThan(0);
    }
  });

  test('links to single types if there are no collections', async () => {
    const url = await addressOf(createListener(await open(small(find('home')))));
    const links = await exampleLinks(url);
    expect(links).toEqual(['/api/home?populate=%2A', '/api/home']);
    for (const link of links) expect((await fetch(url + link)).status).toBe(200);
  });

  test('shows nothing that is not public', async () => {
    const url = await addressOf(createListener(await open(small(find('cafe')))));
    const page = await (await fetch(url)).text();
    expect(page).not.toMatch(/people|person|nal & Sons|measures|homes?</);
    const closed = await addressOf(createListener(await open(small([]))));
    expect(await (await fetch(closed)).text()).toContain('Nothing is readable without a token');
  });
});

test('docs/configuration.md lists the same differences between the dialects as the home page', () => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## Dialects'));
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  expect(rows.slice(2)).toEqual(
    dialectDifferences.map(({ point, document, strapi }) => `| ${point} | ${document} | ${strapi} |`),
  );
});
