import express from 'express';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createHandler, createMiddleware, type Responder } from '../../src/http/content-handler.ts';
import { open } from '../../src/index.ts';
import { thingSnapshot } from '../support/guide.ts';
import { closeServers, listen } from '../support/http.ts';
import { ask, echo, throwSecret } from './echo.ts';

afterEach(closeServers);

const mounted = (content: Responder) => express().use('/api', createMiddleware({ ...echo, ...content }));

describe('middleware', () => {
  test.each([
    ['/api/articles?filters[a][$eq]=1&b=%20', 'articles?filters[a][$eq]=1&b=%20'],
    ['/api', ''],
    ['/api?a=1', '?a=1'],
    ['/api//articles/', '/articles/'],
    ['http://example.org/api/articles?a=/', 'articles?a=/'],
    ['/api/%zz%00', '%zz%00'],
  ])('gives %s to the engine as %j', async (url, path) => {
    const { status, body } = await ask(await listen(mounted(echo)), url);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ path, method: 'GET' });
  });

  test('can be mounted at any path', async () => {
    const app = express().use('/content/v2', createMiddleware(echo));
    const { body } = await ask(await listen(app), '/content/v2/articles?x');
    expect(JSON.parse(body).path).toBe('articles?x');
  });

  test('works as a plain handler below its own path', async () => {
    const { body } = await ask(await listen(createHandler(echo)), '/articles');
    expect(JSON.parse(body).path).toBe('articles');
  });

  test('passes the Authorization header on and leaves other paths to other routes', async () => {
    const app = mounted(echo).use((_request, response) => void response.send('mine'));
    const port = await listen(app);
    expect(JSON.parse((await ask(port, '/api/a', 'GET', { authorization: 'Bearer x' })).body).authorization).toBe(
      'Bearer x',
    );
    expect((await ask(port, '/apis/a')).body).toBe('mine');
  });

  test("runs after the user's own middlewares and routes", async () => {
    const app = express();
    app.get('/api/mine', (_request, response) => void response.send('mine'));
    app.use('/api', createMiddleware(echo));
    const port = await listen(app);
    expect((await ask(port, '/api/mine')).body).toBe('mine');
    expect(JSON.parse((await ask(port, '/api/yours')).body).path).toBe('yours');
  });

  test('sends status, headers and the length in bytes', async () => {
    const body = Buffer.from('{"name":"Zoë 🍰"}');
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'X-From': 'engine' };
    const reply = { status: 404, headers, body };
    const port = await listen(mounted({ answerPath: async () => reply }));
    const got = await ask(port, '/api/x');
    expect(got.status).toBe(404);
    expect(got.body).toBe(body.toString());
    expect(got.headers['content-length']).toBe(String(body.length));
    expect(got.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(got.headers['x-from']).toBe('engine');

    const head = await ask(port, '/api/x', 'HEAD');
    expect(head.status).toBe(404);
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(String(body.length));
  });

  test("a reply's own content type counts", async () => {
    const reply = { status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('x') };
    const { headers } = await ask(await listen(mounted({ answerPath: () => reply })), '/api/x');
    expect(headers['content-type']).toBe('text/plain');
  });

  test('calls next for paths that are not content if the option is set', async () => {
    const app = express().use('/api', createMiddleware(echo, { next: true }));
    app.use((request, response) => void response.send(`mine: ${request.method} ${request.url}`));
    const port = await listen(app);
    for (const [method, path] of [
      ['GET', '/api/unknown?a=1'],
      ['POST', '/api/articles'],
      ['OPTIONS', '/api/articles'],
    ]) {
      expect((await ask(port, path, method)).body).toBe(`mine: ${method} ${path}`);
    }
    expect((await ask(port, '/api/unknown', 'HEAD')).headers).not.toHaveProperty('x-from');
    for (const method of ['GET', 'HEAD']) {
      expect((await ask(port, '/api/articles', method)).headers['x-from']).toBe('engine');
    }
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('rejects %s', async (method) => {
    const { status, headers, body } = await ask(await listen(mounted(echo)), '/api/articles', method);
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(JSON.parse(body)).toEqual({
      data: null,
      error: {
        status: 405,
        name: 'MethodNotAllowedError',
        message: `Method ${method} is not allowed: this service only reads`,
        details: {},
      },
    });
  });

  test('answers OPTIONS with the methods that read', async () => {
    const { status, headers, body } = await ask(await listen(mounted(echo)), '/api/articles', 'OPTIONS');
    expect([status, headers.allow, body]).toEqual([204, 'GET, HEAD, OPTIONS', '']);
    expect(headers).not.toHaveProperty('content-length');
  });

  test.each<[string, Responder['answerPath']]>([
    ['thrown', () => throwSecret()],
    ['rejected with', async () => throwSecret()],
    ['met while sending', () => ({ status: 200, headers: { 'bad name': 'x' }, body: Buffer.from('') })],
  ])('answers an exception that is %s with a 500 and prints the message to stderr only', async (_, answerPath) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { status, body } = await ask(await listen(mounted({ answerPath })), '/api/articles?a=1');
    expect(status).toBe(500);
    expect(JSON.parse(body)).toEqual({
      data: null,
      error: { status: 500, name: 'InternalServerError', message: 'Internal Server Error', details: {} },
    });
    expect(printed).toHaveBeenCalledOnce();
  });
});

describe('middleware in an Express app', () => {
  const content = () =>
    open(
      thingSnapshot({ name: { type: 'string' }, secret: { type: 'string' } }, [
        { documentId: 'a', name: "Zoë's", secret: 'x' },
        { documentId: 'b', name: null, secret: 'y' },
      ]),
    );

  test("answers after the user's own middlewares and routes", async () => {
    const things = await content();
    const app = express();
    app.use('/api/things', (request, _response, next) => {
      request.url += `${request.url.includes('?') ? '&' : '?'}fields=name`;
      next();
    });
    app.get('/api/best', (_request, response) => {
      response.json(things.find('things', { filters: { name: { $contains: 'Zo' } } }));
    });
    app.use('/api', things.router());
    const port = await listen(app);
    const json = async (path: string) => JSON.parse((await ask(port, path)).body);
    expect((await json('/api/things?sort=id')).data).toEqual([
      { id: 1, documentId: 'a', name: "Zoë's" },
      { id: 2, documentId: 'b', name: null },
    ]);
    expect((await json('/api/best')).data).toHaveLength(1);
    expect((await json('/api/nothing')).error.name).toBe('NotFoundError');
  });

  test('answers HEAD with the length of GET and no body', async () => {
    const port = await listen(express().use('/api', (await content()).router()));
    const got = await ask(port, '/api/things');
    const head = await ask(port, '/api/things', 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(got.body)));
    expect(head.body).toBe('');
  });
});
