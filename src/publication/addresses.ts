/** Addresses of publications and images, as settings and flags give them. */
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PublicationError } from './publication.ts';

export type PublicationAddress =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 'redis';
      readonly host: string;
      readonly port: number;
      readonly database: number;
      readonly isEncrypted: boolean;
      /** For messages. */
      readonly text: string;
    };

export type ImagesAddress =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'http'; readonly url: URL }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

/** Throws a PublicationError. */
export function parseName(name: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  const rule = 'use at most 64 letters, digits, "-", "_" and ".", and no "." at the start';
  throw new PublicationError(`the name ${JSON.stringify(name.slice(0, 80))} cannot be published: ${rule}`);
}

/** Throws a PublicationError, which shows no password. */
export function parsePublicationAddress(to: string): PublicationAddress {
  const url = parseUrl(to, 'publication');
  const scheme = url.protocol.slice(0, -1);
  if (scheme === 'file') return { kind: 'folder', folder: toFolder(url) };
  if (!['redis', 'rediss', 'valkey', 'valkeys'].includes(scheme)) {
    const known = 'redis://, rediss://, valkey://, valkeys:// or file://';
    throw new PublicationError(`a publication has an address with ${known}, and not ${scheme}://`);
  }
  refuseCredentials(url, 'LECTERN_REDIS_USERNAME and LECTERN_REDIS_PASSWORD (or LECTERN_REDIS_PASSWORD_FILE)');
  const text = `${scheme}://${url.host}${url.pathname}`;
  if (url.hostname === '') throw new PublicationError(`the address ${text} names no host`);
  if (url.search !== '' || url.hash !== '') throw new PublicationError(`the address ${text} cannot have "?" or "#"`);
  const database = /^\/?(\d{0,5})$/.exec(url.pathname)?.[1];
  if (database === undefined) {
    throw new PublicationError(
      `the path of the address ${text} must be the number of a database, as in ${scheme}://${url.host}/0`,
    );
  }
  return {
    kind: 'redis',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 6379 : Number(url.port),
    database: Number(database || '0'),
    isEncrypted: scheme === 'rediss' || scheme === 'valkeys',
    text,
  };
}

/** Throws a PublicationError, which shows no password. */
export function parseImagesAddress(images: string): ImagesAddress {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(images)) {
    return { kind: 'folder', folder: isAbsolute(images) ? images : resolve(images) };
  }
  const url = parseUrl(images, 'images');
  const scheme = url.protocol.slice(0, -1);
  if (scheme === 'file') return { kind: 'folder', folder: toFolder(url) };
  if (scheme === 's3') {
    refuseCredentials(url, 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
    return parseS3Address(url);
  }
  if (scheme !== 'http' && scheme !== 'https') {
    throw new PublicationError(`images are in a folder or at http://, https:// or s3://, and not at ${scheme}://`);
  }
  refuseCredentials(url, 'LECTERN_IMAGES_TOKEN (or LECTERN_IMAGES_TOKEN_FILE)');
  if (url.search !== '' || url.hash !== '') {
    throw new PublicationError(`the address of images ${url.origin}${url.pathname} cannot have "?" or "#"`);
  }
  return { kind: 'http', url };
}

function parseS3Address(url: URL): ImagesAddress {
  const text = `s3://${url.host}${url.pathname}`;
  if (url.host === '') throw new PublicationError(`the address ${text} names no bucket: it is s3://BUCKET/PREFIX`);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host) || url.host.includes('..')) {
    const rule = 'lower-case letters, digits, "-" and "." only, 3 to 63 of them';
    throw new PublicationError(`the bucket of the address ${text} cannot exist: it may have ${rule}`);
  }
  if (url.search !== '' || url.hash !== '') throw new PublicationError(`the address ${text} cannot have "?" or "#"`);
  try {
    return { kind: 's3', bucket: url.host, prefix: decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '') };
  } catch {
    throw new PublicationError(`the address ${text} has a "%" without two hexadecimal digits`);
  }
}

function parseUrl(text: string, what: string): URL {
  try {
    return new URL(text);
  } catch {
    // what precedes an @ may hold a password
    const shown = text.includes('@') ? `…@${text.slice(text.lastIndexOf('@') + 1)}` : text;
    throw new PublicationError(`the address of ${what} ${JSON.stringify(shown.slice(0, 200))} is not a valid URL`);
  }
}

function toFolder(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new PublicationError(`the address ${url.href} is no folder: it is file:///FOLDER`);
  }
}

function refuseCredentials(url: URL, variables: string): void {
  if (url.username === '' && url.password === '') return;
  const address = `${url.protocol}//${url.host}${url.pathname}`;
  throw new PublicationError(
    `the address ${address} has a user or a password: set ${variables} in the environment instead`,
  );
}
