import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openHttpPlace } from '../../src/publication/images/http-place.ts';
import { RemoteImages } from '../../src/publication/images/remote-images.ts';
import { StoredImages } from '../../src/publication/images/stored-images.ts';
import { openPublication } from '../../src/publication/open-publication.ts';
import { PublicationError, type PublishedImages } from '../../src/publication/publication.ts';
import type { Environment } from '../../src/publication/secrets.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/sha256.ts';
import { waitFor } from '../support/wait.ts';
import { startImageServer } from './image-server.ts';

const secret = 'Secret-Token.123';
const bytes = randomBytes(3_000_000);
const image = { sha256: sha256(bytes), bytes: bytes.length };

async function openStore(address: string, environment: Environment = {}, patience?: number) {
  return new RemoteImages(await openHttpPlace(new URL(address), 'site', environment), patience);
}

async function open(address: string, environment: Environment = {}, patience?: number): Promise<PublishedImages> {
  if (patience !== undefined)
    return new StoredImages(await openStore(address, environment, patience), async () => null);
  const to = pathToFileURL(temporaryFolder()).href;
  return (await openPublication({ to, name: 'site', images: address }, environment, () => {})).publication;
}

function imageFile(content = bytes): string {
  const path = join(temporaryFolder(), 'image');
  writeFileSync(path, content);
  return path;
}

/** Returns the error of a call, after a check that it is a PublicationError without the token. */
async function errorOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => 'no error',
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(PublicationError);
  for (let each = error; each instanceof Error; each = each.cause) {
    expect(`${each.message}\n${each.stack}`).not.toContain(secret);
  }
  return error.message;
}

/** Gets the image to a new folder, which must stay empty. */
async function errorOfGet(images: PublishedImages): Promise<string> {
  const folder = temporaryFolder();
  const message = await errorOf(images.getImage(image, join(folder, 'image')));
  expect(readdirSync(folder)).toEqual([]);
  return message;
}

test('an image is put once, at ADDRESS/NAME/SHA256.lectern, and got from there', async () => {
  const server = await startImageServer();
  const path = `/folder/site/${image.sha256}.lectern`;
  for (const address of ['/folder', '/folder/']) {
    const images = await open(server.address + address);
    expect(await images.putImage(imageFile())).toEqual(image);
    const target = join(temporaryFolder(), 'image');
    await images.getImage(image, target);
    expect(bytes.equals(readFileSync(target))).toBe(true);
  }
  expect(server.requests).toEqual([`HEAD ${path}`, `PUT ${path}`, `GET ${path}`, `HEAD ${path}`, `GET ${path}`]);
  expect(server.headers[1]).toMatchObject({ 'content-length': String(bytes.length) });
  expect(server.headers[1]).not.toHaveProperty('transfer-encoding');
});

test('an image that is there with another size is put again', async () => {
  const server = await startImageServer();
  const path = `/site/${image.sha256}.lectern`;
  server.files.set(path, Buffer.from('cut'));
  await (await open(server.address)).putImage(imageFile());
  expect(server.files.get(path)?.equals(bytes)).toBe(true);
});

test.each([403, 405, 501])('an image is put where HEAD answers %i', async (status) => {
  const answer = (request: { method?: string }, response: any) => {
    if (request.method !== 'HEAD') return false;
    response.writeHead(status).end();
    return true;
  };
  const server = await startImageServer({ answer });
  await (await open(server.address)).putImage(imageFile());
  expect(server.files.size).toBe(1);
});

test('the token goes along, from a variable or a file that may change', async () => {
  const server = await startImageServer();
  const file = imageFile(Buffer.from(`${secret}\n`));
  const fromVariable = await open(server.address, { LECTERN_IMAGES_TOKEN: secret });
  await fromVariable.putImage(imageFile());
  const fromFile = await open(server.address, { LECTERN_IMAGES_TOKEN_FILE: file });
  await fromFile.putImage(imageFile());
  expect(server.headers.map(({ authorization }) => authorization)).toEqual(Array(3).fill(`Bearer ${secret}`));
  writeFileSync(file, 'later');
  await fromFile.putImage(imageFile());
  expect(server.headers.at(-1)?.authorization).toBe('Bearer later');
});

test('a token that cannot be used is refused when the place is opened', async () => {
  const missing = join(temporaryFolder(), 'missing');
  const cases: [Environment, RegExp][] = [
    [{ LECTERN_IMAGES_TOKEN: `${secret}\nx` }, /^LECTERN_IMAGES_TOKEN has characters that a header cannot hold/],
    [{ LECTERN_IMAGES_TOKEN_FILE: imageFile(Buffer.from(`${secret} ä`)) }, /LECTERN_IMAGES_TOKEN has characters/],
    [{ LECTERN_IMAGES_TOKEN_FILE: missing }, /cannot read the file of LECTERN_IMAGES_TOKEN_FILE: ENOENT/],
    [{ LECTERN_IMAGES_TOKEN: secret, LECTERN_IMAGES_TOKEN_FILE: missing }, /^set either .* not both$/],
  ];
  for (const [environment, message] of cases) {
    expect(await errorOf(open('http://127.0.0.1:9', environment))).toMatch(message);
  }
});

test('a refused request names method, address, status and variable', async () => {
  const check = ({ headers }: any) => (headers.authorization === 'Bearer right' ? null : 'ignored');
  const server = await startImageServer({ check });
  const address = `${server.address}/site/${image.sha256}.lectern`;
  const none = await open(server.address);
  expect(await errorOfGet(none)).toBe(
    `GET ${address} answers 403: set LECTERN_IMAGES_TOKEN or LECTERN_IMAGES_TOKEN_FILE if it needs a token`,
  );
  const wrong = await open(server.address, { LECTERN_IMAGES_TOKEN: secret });
  expect(await errorOf(wrong.putImage(imageFile()))).toBe(
    `PUT ${address} answers 403: it refuses the token of LECTERN_IMAGES_TOKEN`,
  );
  expect(server.files.size).toBe(0);
});

test.each([
  [401, 'HEAD', 'GET'],
  [500, 'HEAD', 'GET'],
  [404, 'PUT', 'GET'],
  [206, 'HEAD', 'GET'],
])('the status %i is an error', async (status, put, get) => {
  const server = await startImageServer({
    answer: (request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(`echo ${request.headers.authorization}`));
      return true;
    },
  });
  const images = await open(server.address, { LECTERN_IMAGES_TOKEN: secret });
  const place = `${server.address}/site/${image.sha256}.lectern`;
  expect(await errorOf(images.putImage(imageFile()))).toContain(`${put} ${place} answers ${status}`);
  expect(await errorOfGet(images)).toContain(`${get} ${place} answers ${status}`);
});

test('other bytes are refused, and a wrong size before they are received', async () => {
  const path = `/site/${image.sha256}.lectern`;
  const server = await startImageServer();
  const images = await open(server.address);
  server.files.set(path, randomBytes(bytes.length));
  expect(await errorOfGet(images)).toMatch(/holds other bytes: their SHA-256 is [0-9a-f]{64}$/);
  server.files.set(path, bytes.subarray(1));
  expect(await errorOfGet(images)).toMatch(/has 2,999,999 bytes and the image 3,000,000$/);
});

test('a body of unknown length is stopped when it is too long', async () => {
  let isStopped = false;
  const server = await startImageServer({
    answer: async (_request, response) => {
      response.on('close', () => (isStopped = true));
      response.writeHead(200);
      for (; !response.destroyed; await pause(1)) response.write(randomBytes(100_000));
      return true;
    },
  });
  expect(await errorOfGet(await open(server.address))).toMatch(/has more than the 3,000,000 bytes of the image$/);
  await waitFor(() => expect(isStopped).toBe(true));
});

test('a body that breaks off is an error', async () => {
  const server = await startImageServer({
    answer: (_request, response) => {
      response.writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, 100_000), () => response.destroy());
      return true;
    },
  });
  expect(await errorOfGet(await open(server.address))).toMatch(/\/site\/[0-9a-f]{64}\.lectern ended the connection: /);
});

test('a body that a server has compressed is decoded', async () => {
  const server = await startImageServer({
    answer: (_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(bytes));
      return true;
    },
  });
  const target = join(temporaryFolder(), 'image');
  await (await open(server.address)).getImage(image, target);
  expect(bytes.equals(readFileSync(target))).toBe(true);
});

test.each(['before the reply', 'within the body'])('a download without progress %s ends', async (when) => {
  const server = await startImageServer({
    answer: (_request, response) => {
      if (when === 'within the body') {
        response.writeHead(200, { 'Content-Length': bytes.length });
        response.write(bytes.subarray(0, 1000));
      }
      return true;
    },
  });
  expect(await errorOfGet(await open(server.address, {}, 300))).toMatch(/makes no progress for 0\.3 s$/);
});

test('an upload without progress ends, and closes its file', async () => {
  const server = await startImageServer({ answer: (request) => request.method === 'PUT' });
  let isClosed = false;
  const pieces = async function* () {
    try {
      for (;;) yield randomBytes(65_536);
    } finally {
      isClosed = true;
    }
  };
  const store = await openStore(server.address, {}, 300);
  const large = { ...image, bytes: 1e9 };
  expect(await errorOf(store.put(large, pieces()))).toMatch(/makes no progress for 0\.3 s$/);
  await waitFor(() => expect(isClosed).toBe(true));
});

test('a slow transfer that makes progress goes on', async () => {
  const server = await startImageServer({
    answer: async (request, response) => {
      if (request.method !== 'GET') return false;
      response.writeHead(200, { 'Content-Length': bytes.length });
      for (let i = 0; i < 10; i++) {
        await pause(100);
        response.write(bytes.subarray((i * bytes.length) / 10, ((i + 1) * bytes.length) / 10));
      }
      response.end();
      return true;
    },
  });
  const target = join(temporaryFolder(), 'image');
  await (await open(server.address, {}, 900)).getImage(image, target);
  expect(bytes.equals(readFileSync(target))).toBe(true);
});

test('an upload takes no more from its file than the server does', async () => {
  const server = await startImageServer({ answer: (request) => request.method === 'PUT' });
  let taken = 0;
  const pieces = async function* () {
    for (; ; taken += 65_536) yield randomBytes(65_536);
  };
  const store = await openStore(server.address);
  const controller = new AbortController();
  const put = store.put({ ...image, bytes: 1e9 }, pieces(), controller.signal).catch((error) => error);
  await waitFor(() => expect(taken).toBeGreaterThan(0));
  await pause(500);
  expect(taken).toBeLessThan(30e6);
  controller.abort(new Error('enough'));
  expect((await put).message).toBe('enough');
});

test('a download takes no more from the server than its consumer does', async () => {
  let sent = 0;
  const server = await startImageServer({
    answer: async (_request, response) => {
      response.writeHead(200);
      for (; !response.destroyed; await pause(1)) {
        if (response.writableNeedDrain) continue;
        response.write(randomBytes(65_536));
        sent += 65_536;
      }
      return true;
    },
  });
  const store = await openStore(server.address);
  for await (const _piece of store.read({ ...image, bytes: 1e9 })) {
    await pause(500);
    break;
  }
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(30e6);
});

test('a file that changes while it is put is not stored', async () => {
  const path = imageFile();
  const server = await startImageServer({
    answer: (request) => {
      if (request.method === 'HEAD') writeFileSync(path, randomBytes(bytes.length));
      return false;
    },
  });
  const images = await open(server.address);
  expect(await errorOf(images.putImage(path))).toMatch(/image holds other bytes: their SHA-256 is/);
  writeFileSync(path, bytes);
  const shortened = await startImageServer({
    answer: (request) => {
      if (request.method === 'HEAD') truncateSync(path, 1000);
      return false;
    },
  });
  expect(await errorOf((await open(shortened.address)).putImage(path))).toMatch(/ended after 1,000 of 3,000,000 bytes/);
  expect(server.files.size + shortened.files.size).toBe(0);
});

test('a download follows redirects, and the token stays at its origin', async () => {
  const storage = await startImageServer();
  const path = `/site/${image.sha256}.lectern`;
  storage.files.set(`/stored?signature=${secret}`, bytes);
  const server = await startImageServer({
    answer: ({ url }, response) => {
      const location = url === path ? '/second' : `${storage.address}/stored?signature=${secret}`;
      response.writeHead(302, { Location: location }).end();
      return true;
    },
  });
  const target = join(temporaryFolder(), 'image');
  await (await open(server.address, { LECTERN_IMAGES_TOKEN: secret })).getImage(image, target);
  expect(existsSync(target)).toBe(true);
  expect(server.requests).toEqual([`GET ${path}`, 'GET /second']);
  expect(server.headers[1].authorization).toBe(`Bearer ${secret}`);
  expect(storage.headers[0].authorization).toBeUndefined();
});

test.each([
  [
    'https://127.0.0.1:9/x?signature=SECRET',
    /redirects to https:\/\/127\.0\.0\.1:9\/x \(302\), which has another scheme$/,
  ],
  ['file:///etc/passwd', /which has another scheme$/],
  ['/again', /redirects to http:\S+\/again \(302\), after 5 redirects$/],
  ['http://[', /redirects to no URL \(302\)$/],
])('a redirect to %s is refused', async (location, message) => {
  const server = await startImageServer({
    answer: (_request, response) => {
      response.writeHead(302, { Location: location.replace('SECRET', secret) }).end();
      return true;
    },
  });
  const images = await open(server.address, { LECTERN_IMAGES_TOKEN: secret });
  expect(await errorOfGet(images)).toMatch(message);
});

test('an upload follows no redirect', async () => {
  const server = await startImageServer({
    answer: (request, response) => {
      if (request.method === 'HEAD') return false;
      response.writeHead(307, { Location: `/elsewhere?signature=${secret}` }).end();
      return true;
    },
  });
  const message = await errorOf((await open(server.address)).putImage(imageFile()));
  expect(message).toMatch(/redirects to \S+\/elsewhere \(307\): only downloads follow redirects$/);
  expect(server.requests).toHaveLength(2);
});

test('an address that nobody listens at is named', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  const images = await open(`http://127.0.0.1:${port}`);
  expect(await errorOfGet(images)).toMatch(
    new RegExp(`^http://127.0.0.1:${port}/site/[0-9a-f]{64}.lectern cannot be reached: connect ECONNREFUSED`),
  );
});

test('a signal ends an upload and a download with its reason', async () => {
  const server = await startImageServer({ answer: (request) => request.method !== 'HEAD' });
  const images = await open(server.address);
  for (const call of [
    (signal: AbortSignal) => images.putImage(imageFile(), signal),
    (signal: AbortSignal) => images.getImage(image, join(temporaryFolder(), 'image'), signal),
  ]) {
    const controller = new AbortController();
    const count = server.requests.length;
    const settled = call(controller.signal).catch((error) => error);
    await waitFor(() => expect(server.requests.slice(count).at(-1)).toMatch(/^(?:PUT|GET)/));
    controller.abort(new Error('enough'));
    expect((await settled).message).toBe('enough');
  }
});
