import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { openS3Place } from '../../src/publication/images/s3-place.ts';
import { openPublication } from '../../src/publication/open-publication.ts';
import { PublicationError } from '../../src/publication/publication.ts';
import type { Environment } from '../../src/publication/secrets.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/sha256.ts';
import { type ImageServer, startImageServer } from './image-server.ts';
import { problemOfSignature } from './signature.ts';

const credentials = {
  id: 'AKIATESTKEY',
  secret: 'Secret/Key+Of=S3',
  token: 'Session/Token+Of==S3',
  region: 'eu-central-1',
};
const environment = {
  AWS_ACCESS_KEY_ID: credentials.id,
  AWS_SECRET_ACCESS_KEY: credentials.secret,
  AWS_SESSION_TOKEN: credentials.token,
  AWS_REGION: credentials.region,
};
const bytes = randomBytes(2_000_000);
const image = { sha256: sha256(bytes), bytes: bytes.length };

function startS3(): Promise<ImageServer> {
  return startImageServer({ check: (request, body) => problemOfSignature(request, body, credentials) });
}

async function open(images: string, given: Environment) {
  const to = pathToFileURL(temporaryFolder()).href;
  return (await openPublication({ to, name: 'site', images }, given, () => {})).publication;
}

function imageFile(): string {
  const path = join(temporaryFolder(), 'image');
  writeFileSync(path, bytes);
  return path;
}

/** Returns the message of a PublicationError, after a check that it shows no secret. */
async function errorOf(call: () => unknown): Promise<string> {
  const error = await Promise.resolve()
    .then(call)
    .then(
      () => 'no error',
      (thrown) => thrown,
    );
  expect(error).toBeInstanceOf(PublicationError);
  for (const secret of [credentials.secret, credentials.token, 'Signature=']) {
    for (let each = error; each instanceof Error; each = each.cause) {
      expect(`${each.message}\n${each.stack}`).not.toContain(secret);
    }
  }
  return error.message;
}

test.each([
  ['s3://bucket', '', 'AWS_ENDPOINT_URL_S3', '/bucket/site/'],
  ['s3://bucket/', '/', 'AWS_ENDPOINT_URL', '/bucket/site/'],
  ['s3://bucket.name/deep/prefix/', '/storage/v1', 'AWS_ENDPOINT_URL_S3', '/storage/v1/bucket.name/deep/prefix/site/'],
  [
    "s3://bucket/a%20b/ü+(1)!*'~@:,;=&$%2B",
    '',
    'AWS_ENDPOINT_URL_S3',
    "/bucket/a%20b/%C3%BC%2B(1)!*'~%40%3A%2C%3B%3D%26%24%2B/site/",
  ],
])('an image at %s is put and got, signed', async (address, endpoint, variable, path) => {
  const server = await startS3();
  const publication = await open(address, { ...environment, [variable]: server.address + endpoint });
  expect(await publication.putImage(imageFile())).toEqual(image);
  expect(await publication.putImage(imageFile())).toEqual(image);
  const target = join(temporaryFolder(), 'image');
  await publication.getImage(image, target);
  expect(bytes.equals(readFileSync(target))).toBe(true);
  const url = `${path}${image.sha256}.lectern`;
  expect(server.requests).toEqual([`HEAD ${url}`, `PUT ${url}`, `HEAD ${url}`, `GET ${url}`]);
  expect(server.headers[1]).toMatchObject({
    'x-amz-content-sha256': image.sha256,
    'content-length': String(image.bytes),
  });
});

test('the endpoint of S3 comes before that of all services', async () => {
  const server = await startS3();
  const endpoints = { AWS_ENDPOINT_URL_S3: server.address, AWS_ENDPOINT_URL: 'http://127.0.0.1:9' };
  await (await open('s3://bucket', { ...environment, ...endpoints })).putImage(imageFile());
  expect(server.files.size).toBe(1);
});

test.each([
  [{ AWS_ACCESS_KEY_ID: 'AKIAOTHER' }, 'InvalidAccessKeyId'],
  [{ AWS_SECRET_ACCESS_KEY: 'other' }, 'SignatureDoesNotMatch'],
  [{ AWS_SESSION_TOKEN: undefined }, 'InvalidToken'],
  [{ AWS_REGION: undefined }, 'AuthorizationHeaderMalformed'],
])('%o is refused with the code of the server', async (other, code) => {
  const server = await startS3();
  const publication = await open('s3://bucket', { ...environment, ...other, AWS_ENDPOINT_URL_S3: server.address });
  const place = `${server.address}/bucket/site/${image.sha256}.lectern`;
  expect(await errorOf(() => publication.putImage(imageFile()))).toBe(`PUT ${place} answers 403: ${code}`);
  const target = join(temporaryFolder(), 'image');
  expect(await errorOf(() => publication.getImage(image, target))).toBe(`GET ${place} answers 403: ${code}`);
  expect(server.files.size).toBe(0);
});

test('a bucket of another region is named with its region', async () => {
  const server = await startImageServer({
    answer: (request, response) => {
      request.resume().on('end', () => response.writeHead(301, { 'X-Amz-Bucket-Region': 'us-west-2' }).end());
      return true;
    },
  });
  const publication = await open('s3://bucket', { ...environment, AWS_ENDPOINT_URL_S3: server.address });
  expect(await errorOf(() => publication.putImage(imageFile()))).toMatch(
    /answers 301: the bucket is in the region us-west-2: set AWS_REGION$/,
  );
});

test.each([
  ['bucket', 'eu-central-1', 'https://bucket.s3.eu-central-1.amazonaws.com/site/'],
  ['bucket.name', 'eu-central-1', 'https://s3.eu-central-1.amazonaws.com/bucket.name/site/'],
  ['bucket', 'cn-north-1', 'https://bucket.s3.cn-north-1.amazonaws.com.cn/site/'],
  ['bucket', undefined, 'https://bucket.s3.us-east-1.amazonaws.com/site/'],
])('without an endpoint, the bucket %s in %s is at %s', (bucket, region, url) => {
  const place = openS3Place({ bucket, prefix: '' }, 'site', { ...environment, AWS_REGION: region });
  expect(place.urlOf(image).href).toBe(`${url}${image.sha256}.lectern`);
});

test.each<[string, Environment, RegExp]>([
  ['s3://bucket', { AWS_ACCESS_KEY_ID: '' }, /^images at s3:\/\/ need AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY$/],
  ['s3://bucket', { AWS_SECRET_ACCESS_KEY: undefined }, /need AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY$/],
  ['s3://bucket', { AWS_SESSION_TOKEN: `${credentials.token}\n` }, /^AWS_SESSION_TOKEN has characters/],
  ['s3://bucket', { AWS_REGION: 'a.b/c' }, /^AWS_REGION is no region/],
  ['s3://bucket', { AWS_ENDPOINT_URL: 'ftp://host' }, /^AWS_ENDPOINT_URL is no address with http/],
  ['s3://bucket', { AWS_ENDPOINT_URL_S3: 'host:80' }, /^AWS_ENDPOINT_URL_S3 is no address with http/],
  ['s3://bucket', { AWS_ENDPOINT_URL_S3: 'http://user:password@host' }, /cannot have a user, a password/],
  ['s3://', {}, /names no bucket/],
  ['s3://Bucket/x', {}, /the bucket of the address s3:\/\/Bucket\/x cannot exist/],
  ['s3://bucket:80/x', {}, /cannot exist/],
  ['s3://bucket/x?y', {}, /cannot have "\?" or "#"$/],
  ['s3://bucket/%zz', {}, /has a "%" without two hexadecimal digits$/],
  ['s3://key:secret@bucket/x', {}, /set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment instead$/],
])('%s with %o is refused when it is opened', async (address, other, message) => {
  expect(await errorOf(() => open(address, { ...environment, ...other }))).toMatch(message);
});
