import {
  HTTPAuthorizationError,
  HTTPBadRequestError,
  HTTPError,
  HTTPForbiddenError,
  HTTPNotFoundError,
} from '@strapi/client';
import { describe, expect, test } from 'vitest';
import { tokens } from '../conformance/gazette.ts';
import { serveGazette } from './serve.ts';

/** The official client with a token, with a JWT, and when it is refused. */

const client = serveGazette();

describe('auth', () => {
  const john = {
    id: 1,
    documentId: 'tk4nq5lt8uob3g86sc58qh3c',
    username: 'John',
    email: 'u0@example.org',
    provider: 'local',
    confirmed: true,
    blocked: false,
    createdAt: '2026-11-20T14:47:09.243Z',
    updatedAt: '2026-11-20T14:47:09.243Z',
    publishedAt: '2026-11-20T14:47:09.162Z',
  };

  test.each([
    ['an API token', tokens.reader],
    ["a user's JWT", tokens.user],
  ])('%s reads what is not public', async (_, auth) => {
    const { data, meta } = await client(auth)
      .collection('ledgers')
      .find({
        fields: ['name', 'amount'],
        sort: 'id',
        pagination: { pageSize: 2 },
      });
    expect(data).toEqual([
      { id: 1, documentId: 'fc3coy9esg6jbczmtffbbi21', name: 'ledger 0', amount: 804.48 },
      { id: 2, documentId: 'tesbtuwdf92hbml1vn5eroj4', name: 'ledger 1', amount: 669.16 },
    ]);
    expect(meta.pagination).toEqual({ page: 1, pageSize: 2, pageCount: 5, total: 9 });
  });

  test('a custom token reads and populates what it names', async () => {
    const { data } = await client(tokens.some)
      .collection('restaurants')
      .find({
        filters: { id: 2 },
        fields: ['name'],
        populate: { chef: { fields: ['name'] }, categories: { fields: ['name'] } },
      });
    expect(data).toEqual([
      {
        id: 2,
        documentId: 'jmra5y0w0uc8qvwkgx1s7oiq',
        name: 'Łódź café',
        chef: { id: 2, documentId: 'n4nw5aip53xin6j9otulnlyc', name: 'istanbul' },
      },
    ]);
  });

  test('users are returned without an envelope', async () => {
    const withJwt = client(tokens.user);
    expect(await withJwt.collection('users').find({ filters: { username: { $eq: 'John' } } })).toEqual([john]);
    expect(await withJwt.collection('users').find()).toHaveLength(8);
    expect(await (await withJwt.fetch('/users/me')).json()).toEqual(john);
  });
});

describe('the client throws its own error classes', () => {
  /** The error that a request ends with, and the answer's body. */
  async function failure(request: Promise<unknown>): Promise<{ error: HTTPError; body: unknown }> {
    const error = await request.then(
      () => 'the request succeeded',
      (reason: unknown) => reason,
    );
    if (!(error instanceof HTTPError)) throw new Error(`no HTTPError, but: ${error}`);
    return { error, body: await error.response.json() };
  }

  const plain = (status: number, name: string, message: string) => ({
    data: null,
    error: { status, name, message, details: {} },
  });

  test('for a 404 of a missing document, type or translation', async () => {
    for (const request of [
      () => client().collection('restaurants').findOne('zzz'),
      () => client().collection('restaurants').findOne('2'),
      () => client().collection('nope').find(),
      () => client().single('homepage').find({ locale: 'de' }),
    ]) {
      const { error, body } = await failure(request());
      expect(error).toBeInstanceOf(HTTPNotFoundError);
      expect(body).toEqual(plain(404, 'NotFoundError', 'Not Found'));
    }
  });

  test('for a 404 of a missing file', async () => {
    const { error } = await failure(client().files.findOne(999));
    expect(error).toBeInstanceOf(HTTPNotFoundError);
    expect(error).toMatchObject({ name: 'FileNotFoundError', fileId: 999 });
  });

  test('for a 403 without a token or permission', async () => {
    const limited = client(tokens.some);
    for (const request of [
      () => client().collection('ledgers').find(),
      () => client().collection('users').find(),
      () => limited.collection('dishes').find(),
    ]) {
      const { error, body } = await failure(request());
      expect(error).toBeInstanceOf(HTTPForbiddenError);
      expect(body).toEqual(plain(403, 'ForbiddenError', 'Forbidden'));
    }
    expect((await failure(limited.files.find())).error.name).toBe('FileForbiddenError');
  });

  test('for a 401 of an unknown token', async () => {
    const { error, body } = await failure(client('nope').collection('restaurants').find());
    expect(error).toBeInstanceOf(HTTPAuthorizationError);
    expect(body).toEqual(plain(401, 'UnauthorizedError', 'Missing or invalid credentials'));
  });

  test('for a 400 of an invalid filter', async () => {
    const restaurants = client().collection('restaurants');
    const { error, body } = await failure(restaurants.find({ filters: { nope: { $eq: 1 } } }));
    expect(error).toBeInstanceOf(HTTPBadRequestError);
    expect(body).toEqual({
      data: null,
      error: {
        status: 400,
        name: 'ValidationError',
        message: 'Invalid key nope',
        details: { key: 'nope', path: null, source: 'query', param: 'filters' },
      },
    });
  });

  test('for a 405 of a write', async () => {
    const restaurants = client(tokens.reader).collection('restaurants');
    const documentId = 'jmra5y0w0uc8qvwkgx1s7oiq';
    for (const request of [
      () => restaurants.create({ name: 'new' }),
      () => restaurants.update(documentId, { name: 'new' }),
      () => restaurants.delete(documentId),
    ]) {
      expect((await failure(request())).error.response.status).toBe(405);
    }
  });
});
