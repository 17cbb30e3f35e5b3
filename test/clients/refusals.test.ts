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

/** The official client when a request is refused. */

const client = serveGazette();

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
