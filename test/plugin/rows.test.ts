import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

/** What the route of `strapi-plugin-lectern` asks the database for, and whom it answers. */

interface Context {
  readonly query: { query?: unknown };
  get(name: string): string;
  set(headers: Record<string, string>): void;
  unauthorized(message: string): void;
  body?: string;
}

type Answer = (context: Context, secret: string, position: object) => Promise<void>;

const require = createRequire(import.meta.url);
const { answer, isServed }: { answer: Answer; isServed(uid: string): boolean } = require('../../plugin/server/rows.js');

const secret = 'a secret of the plugin';
const article = 'api::article.article';
const position = { epoch: 'one', sequence: 3 };
const sign = (text: string, key = secret) => `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;

const models: Record<string, { modelType: string; attributes: object; options?: object }> = {
  [article]: {
    modelType: 'contentType',
    options: { draftAndPublish: false, privateAttributes: ['listed', 'publishedAt'] },
    attributes: {
      title: { type: 'string' },
      publishedAt: { type: 'datetime' },
      pin: { type: 'password' },
      hidden: { type: 'string', private: true },
      listed: { type: 'string' },
      everywhere: { type: 'string' },
      author: { type: 'relation', target: 'api::author.author' },
      createdBy: { type: 'relation', target: 'admin::user' },
      secretAuthor: { type: 'relation', target: 'api::author.author', private: true },
      subject: { type: 'relation', relation: 'morphToOne' },
      cover: { type: 'media' },
      card: { type: 'component', component: 'part.card' },
      zone: { type: 'dynamiczone', components: ['part.card'] },
    },
  },
  'api::author.author': { modelType: 'contentType', options: { draftAndPublish: true }, attributes: {} },
  'admin::user': { modelType: 'contentType', attributes: {} },
  'part.card': { modelType: 'component', attributes: { label: { type: 'string' }, code: { type: 'password' } } },
};

const findMany = vi.fn(async (_: object) => [{ id: 1 }, { id: 2 }]);
const queried: string[] = [];

beforeEach(() => {
  const columns = { idColumn: { name: 'subject_id' }, typeColumn: { name: 'subject_type' } };
  const metadata = (uid: string) => {
    const attributes = Object.keys(models[uid].attributes).map((name) => [name, {}]);
    return {
      attributes: { ...Object.fromEntries(attributes), ...(uid === article && { subject: { morphColumn: columns } }) },
    };
  };
  const query = (uid: string) => {
    queried.push(uid);
    return { findMany };
  };
  vi.stubGlobal('strapi', {
    contentTypes: models,
    getModel: (uid: string) => models[uid],
    config: { get: (key: string) => (key === 'api.responses.privateAttributes' ? ['everywhere'] : undefined) },
    db: { metadata: { get: metadata }, query },
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  findMany.mockClear();
  queried.splice(0);
});

/** Returns the body of the answer, or why there is none. */
async function ask(query: object | undefined, signature?: string): Promise<string> {
  const text = query && JSON.stringify({ time: Date.now(), ...query });
  let refusal: string | undefined;
  const context: Context = {
    query: { query: text },
    get: () => signature ?? sign(`${text}`),
    set: () => {},
    unauthorized: (message) => {
      refusal = message;
    },
  };
  await answer(context, secret, position);
  return refusal ?? context.body!;
}

const refusal = 'The signature is wrong, or was not made within a minute';
const rows = { type: article, after: 0, limit: 2 };

describe('the route', () => {
  test.each<[string, object | undefined, string | undefined]>([
    ['without a query', undefined, ''],
    ['without a signature', rows, ''],
    ['with another signature', rows, sign(JSON.stringify(rows))],
    ['with the signature of another secret', rows, sign(JSON.stringify(rows), 'another secret')],
    ['of two minutes ago', { ...rows, time: Date.now() - 120_000 }, undefined],
    ['of the future', { ...rows, time: Date.now() + 120_000 }, undefined],
    ['without a time', { ...rows, time: undefined }, undefined],
  ])('refuses a request %s', async (_, query, signature) => {
    expect(await ask(query, signature)).toBe(refusal);
    expect(queried).toEqual([]);
  });

  test('answers with its version, the last post, the rows, and a signature of the request and of all that', async () => {
    const asked = { ...rows, time: Date.now() };
    const text = `${JSON.stringify({ version: 1, ...position })}\n{"id":1}\n{"id":2}\n`;
    // the same text as `ask` signs
    const request = sign(JSON.stringify({ time: asked.time, type: article, after: 0, limit: 2 }));
    expect(await ask({ time: asked.time, ...rows })).toBe(`${text}${sign(`${request}\n${text}`)}\n`);
  });

  test('names the last post before the rows were read', async () => {
    const moving = { ...position };
    findMany.mockImplementationOnce(async () => {
      moving.sequence++;
      return [];
    });
    const text = JSON.stringify({ time: Date.now(), ...rows });
    const context = { query: { query: text }, get: () => sign(text), set: () => {}, unauthorized: () => {} } as Context;
    await answer(context, secret, moving);
    expect(context.body).toContain('"sequence":3');
  });

  test('reads public values, components and the ids of links', async () => {
    await ask({ ...rows, status: 'draft' });
    expect(queried).toEqual([article]);
    const link = { select: ['id'], where: {} };
    const card = { select: ['id', 'label'], populate: {} };
    expect(findMany).toHaveBeenCalledWith({
      where: { id: { $gt: 0 } },
      limit: 2,
      orderBy: 'id',
      select: ['id', 'documentId', 'title', 'publishedAt', 'subject_id', 'subject_type'],
      populate: {
        author: { select: ['id'], where: { publishedAt: null } },
        subject: link,
        cover: link,
        card,
        zone: { on: { 'part.card': card } },
      },
    });
  });

  test.each([
    ['ids', { ids: [1, 2] }, { id: { $in: [1, 2] } }],
    ['documents', { documentIds: ['a'] }, { documentId: { $in: ['a'] } }],
    ['a page', { after: 7, limit: 5 }, { id: { $gt: 7 } }],
  ])('finds rows by %s', async (_, query, where) => {
    await ask({ type: article, isShort: true, ...query });
    expect(findMany).toHaveBeenCalledWith(
      expect.objectContaining({ where, select: ['id', 'documentId', 'updatedAt'] }),
    );
  });

  test.each(['admin::user', 'part.card', 'strapi::core-store', 'plugin::upload.folder', 'api::none.none'])(
    'has no rows of %s',
    async (type) => {
      expect((await ask({ ...rows, type })).split('\n')).toHaveLength(3);
      expect(queried).toEqual([]);
    },
  );
});

test('types of the project, files, locales, users, roles and permissions are served', () => {
  const served = ['api::a.b', 'plugin::upload.file', 'plugin::i18n.locale', 'plugin::users-permissions.role'];
  expect(served.every(isServed)).toBe(true);
  expect(['plugin::upload.folder', 'plugin::upload.files', 'admin::role', 'api-x'].some(isServed)).toBe(false);
});
