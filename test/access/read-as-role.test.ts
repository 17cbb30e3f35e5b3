// A token with full access may read as another role, and gets exactly what that role gets.
import { expect, test } from 'vitest';
import { type Content, type OpenOptions, open } from '../../src/index.ts';
import { openGuide, sha256 } from '../support/guide.ts';
import { jwtOf, jwtSecret } from '../support/jwt.ts';

const tokens: OpenOptions['tokens'] = [
  { name: 'all', sha256: sha256('all'), type: 'full-access' },
  { name: 'reader', sha256: sha256('reader'), type: 'read-only' },
];
const full = { authorization: 'Bearer all' };
const paths = [
  'chefs',
  'restaurants?populate=*',
  'licences',
  'users/me',
  'articles?status=draft',
  'nowhere',
  'chefs?facets=name',
];

async function answer(content: Content, path: string, options: object) {
  const { status, headers, body } = await content.answerPath(path, options);
  return { status, headers: headers as Record<string, string>, text: body.toString() };
}

test.each(['document', 'strapi'] as const)(
  'gets what a caller of the role gets, in the dialect %s',
  async (dialect) => {
    const content = await openGuide({ dialect, tokens, jwtSecret });
    for (const path of paths) {
      // the first replies are kept, and must not be given to other roles
      for (let time = 0; time < 3; time++) {
        const anonymous = await answer(content, path, {});
        const asPublic = await answer(content, path, { ...full, role: 'public' });
        expect([path, asPublic.status, asPublic.text]).toEqual([path, anonymous.status, anonymous.text]);
        expect(asPublic.headers['Cache-Control']).toBe('no-store');
        expect(asPublic.headers['X-Lectern-Omitted']).toBe(anonymous.headers['X-Lectern-Omitted']);
        if (path === 'users/me') continue;
        const signedIn = await answer(content, path, { authorization: `Bearer ${jwtOf(1)}` });
        const asUser = await answer(content, path, { ...full, role: 'authenticated' });
        expect([path, asUser.status, asUser.text]).toEqual([path, signedIn.status, signedIn.text]);
        const own = await answer(content, path, full);
        expect(own.headers['Cache-Control']).toBe(
          own.status === 200 ? 'private, max-age=0, must-revalidate' : 'no-store',
        );
      }
    }
  },
);

test('refuses the header without full access, and a role that does not exist', async () => {
  const content = await openGuide({ tokens, jwtSecret });
  for (const authorization of [undefined, 'Bearer reader', `Bearer ${jwtOf(1)}`]) {
    for (const role of ['public', 'authenticated', 'nobody']) {
      const { status, text } = await answer(content, 'chefs', { authorization, role });
      expect(status).toBe(403);
      expect(text).toContain('X-Lectern-Role takes a token with full access');
    }
  }
  const { status, text } = await answer(content, 'chefs', { ...full, role: 'nobody' });
  expect(status).toBe(400);
  expect(text).toMatch(/there is no role \\"nobody\\"\. The roles are .*public/);
});

test('explains and describes as the role, and keeps the plan visible', async () => {
  const content = await openGuide({ tokens });
  const explain = async (options: object) => {
    const { status, body } = await content.answerExplain('/api/licences', options);
    return { status, reply: JSON.parse(body.toString()) };
  };
  expect((await explain({ ...full, role: 'public' })).status).toBe(403);
  const { status, reply } = await explain({ ...full, role: 'authenticated' });
  expect([status, Object.keys(reply).includes('plan')]).toEqual([200, true]);
  const pathsOf = async (options: object) => {
    const { body } = await content.answerOpenApi('', options);
    return Object.keys(JSON.parse(body.toString()).paths);
  };
  expect(await pathsOf({ ...full, role: 'public' })).toEqual(await pathsOf({}));
  expect(await pathsOf(full)).not.toEqual(await pathsOf({}));
});

test('a plan in headers is shown to full access alone', async () => {
  const content = await open('data/demo', { tokens });
  const planOf = async (options: object) => (await answer(content, 'articles', options)).headers['X-Lectern-Plan'];
  expect(await planOf({ explains: true })).toBeUndefined();
  expect(await planOf({ ...full, explains: true })).toBeDefined();
  expect(await planOf({ ...full, role: 'public', explains: true })).toBeDefined();
});
