import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Content, OpenOptions } from '../../src/index.ts';
import { sha256 } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';

/** A restaurant site: its export, and what a Strapi 5.54 on PostgreSQL answered while it served the same data. */
const folder = new URL('gazette/', import.meta.url);

/** The caller: none, a user with a JWT, or one of two API tokens. */
export type Asker = 'public' | 'user' | 'reader' | 'some';

export interface Recording {
  /** Identifies the request. The numbers have gaps. */
  n: number;
  /** `case` was written by hand, `random` was generated. */
  kind: 'case' | 'random';
  auth: Asker;
  path: string;
  status: number;
  body: unknown;
}

/** What a bearer sends; the one of `user` is a JWT of the user with id 1. */
export const tokens: Record<Exclude<Asker, 'public'>, string> = JSON.parse(
  readFileSync(new URL('tokens.json', folder), 'utf8'),
);

export function authorization(asker: Asker): string | undefined {
  return asker === 'public' ? undefined : `Bearer ${tokens[asker]}`;
}

export const gazetteExport = fileURLToPath(new URL('export.tar.gz', folder));

/** The tokens and the secret of the recorded server. */
export const gazetteOptions: OpenOptions = {
  jwtSecret: 'jwtsecretjwtsecretjwtsecret123456',
  tokens: [
    { name: 'reader', type: 'read-only', sha256: sha256(tokens.reader) },
    {
      name: 'some',
      type: 'custom',
      sha256: sha256(tokens.some),
      permissions: ['api::restaurant.restaurant.find', 'api::chef.chef.find'],
    },
  ],
};

/** The export as the recorded server served it. */
export function openGazette(): Promise<Content> {
  return openShared(gazetteExport, gazetteOptions);
}

export function readRecordings(): Recording[] {
  const text = gunzipSync(readFileSync(new URL('recordings.jsonl.gz', folder))).toString('utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}
