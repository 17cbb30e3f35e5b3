/**
 * The first part of docs/previews.md works by copy and paste. The commands that need a network are left out here:
 * `npm run test:previews` runs them, too.
 */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unpackProject } from '../load/project/recorded-projects.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type PreviewHandler, PreviewWalk } from '../support/preview-walk.ts';
import { documentsOf } from '../support/strapi-documents.ts';

const uid = 'api::article.article';
/** An article of the recorded project. Its German draft and published version have different slugs, and its English one is a draft only. */
const documentId = 'cfl7xac0sedu4qu5e1d3mi62';

describe('from an empty folder to the button', () => {
  let walk: PreviewWalk;
  beforeAll(async () => (walk = await PreviewWalk.begin(temporaryFolder())));
  afterAll(() => walk.end());

  test('a preview shows a field that was patched, and visitors do not see it', async () => {
    for (const step of [1, 2, 3]) await walk.run(step);
    const [, shown] = await walk.run(4);
    expect(shown.lines.join('\n')).toBe(shown.expected!.join('\n'));
  });

  test('the tool deletes its preview', async () => {
    await walk.run(5, ['localhost:3000']);
    expect((await fetch(walk.adapt('http://127.0.0.1:1338/spring/api/articles'))).status).toBe(404);
  });

  describe('from a Strapi', () => {
    let lectern: string;
    let handlers: PreviewHandler[];
    let environment: Record<string, string>;
    beforeAll(async () => {
      cpSync(unpackProject('magazine'), join(walk.folder, 'my-strapi'), { recursive: true });
      await walk.run(6, ['create-strapi', 'run develop']);
      environment = parse(readFileSync(join(walk.folder, 'my-strapi/.env')));
      lectern = walk.adapt('http://127.0.0.1:1338');
      handlers = await walk.handlers(environment, documentsOf(lectern));
    });

    /** What both files answer, as the query of the address. */
    async function addressOf(type: string, entry: Parameters<PreviewHandler>[1]) {
      const [inTypeScript, inJavaScript] = await Promise.all(handlers.map((handler) => handler(type, entry)));
      expect(inJavaScript).toBe(inTypeScript);
      if (inTypeScript === null) return null;
      const { origin, pathname, searchParams } = new URL(inTypeScript);
      expect(origin + pathname).toBe(walk.adapt('http://localhost:3000/api/preview'));
      const { secret, ...rest } = Object.fromEntries(searchParams);
      const secrets = parse(readFileSync(join(walk.folder, 'secrets.env')));
      expect(secret).toBe(secrets.PREVIEW_SECRET);
      return rest;
    }

    test.each([
      ['a draft', { locale: 'de', status: 'draft' }, { path: '/de/articles/article-276', preview: 'drafts' }],
      [
        'a modified draft',
        { locale: 'de', status: 'modified' },
        { path: '/de/articles/article-276', preview: 'drafts' },
      ],
      ['a published version', { locale: 'de', status: 'published' }, { path: '/de/articles/article-10' }],
      ['the default locale', { status: 'draft' }, { path: '/articles/article-9', preview: 'drafts' }],
      ['no published version', { locale: 'en', status: 'published' }, null],
      ['a locale without an entry', { locale: 'fr', status: 'draft' }, null],
    ])('Strapi gets the address of %s', async (_, entry, address) => {
      expect(await addressOf(uid, { documentId, ...entry })).toEqual(address);
    });

    test('Strapi gets no address for types without a page', async () => {
      expect(await addressOf('api::author.author', { documentId, status: 'draft' })).toBeNull();
    });

    test('the preview of all drafts answers the query of such a page', async () => {
      const { PREVIEW_TOKEN } = parse(readFileSync(join(walk.folder, 'secrets.env')));
      const ask = (path: string) => fetch(lectern + path, { headers: { Authorization: `Bearer ${PREVIEW_TOKEN}` } });
      const query = 'filters[slug][$eq]=article-276&locale=de&fields=title';
      const { data } = (await (await ask(`/drafts/api/articles?${query}`)).json()) as { data: object[] };
      expect(data).toMatchObject([{ documentId, title: 'niello' }]);
      const published = (await (await fetch(`${lectern}/api/articles?${query}`)).json()) as { data: object[] };
      expect(published.data).toEqual([]);
    });
  });
});
