import { afterEach, describe, expect, test, vi } from 'vitest';
import { noCredentials, StoredCredentials } from '../../src/model/access/credentials.ts';
import { digestOfToken } from '../../src/model/access/definitions.ts';
import { permissionsFor } from '../../src/model/access/permissions.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';

const find = (credentials: StoredCredentials, text: string) => credentials.find(text, digestOfToken(text));

afterEach(() => vi.useRealTimers());

describe('stored API tokens', () => {
  const tokens = [
    apiToken('all'),
    apiToken('reader', { type: 'read-only' }),
    apiToken('some', { type: 'custom', permissions: ['api::a.a.find'] }),
    apiToken('none', { type: 'custom' }),
  ];

  test('have the permissions of their types', () => {
    const credentials = new StoredCredentials(tokens, secrets);
    expect(['all', 'reader', 'some', 'none'].map((text) => find(credentials, text)?.permissions.id)).toEqual([
      'full',
      'read',
      permissionsFor(['api::a.a.find']).id,
      permissionsFor([]).id,
    ]);
  });

  test('are recalled after they were sent once', () => {
    const credentials = new StoredCredentials(tokens, secrets);
    expect(credentials.recall(digestOfToken('all'))).toBeUndefined();
    const caller = find(credentials, 'all');
    expect(credentials.recall(digestOfToken('all'))).toBe(caller);
    expect(credentials.recall(digestOfToken('reader'))).toBeUndefined();
  });

  test('are not found by another text, nor by their access key', () => {
    const credentials = new StoredCredentials(tokens, secrets);
    expect(find(credentials, 'All')).toBeUndefined();
    expect(find(credentials, tokens[0].accessKey)).toBeUndefined();
    expect(credentials.recall(digestOfToken('All'))).toBeUndefined();
  });

  test.each([null, { ...secrets, apiTokenSalt: null }, { ...secrets, apiTokenSalt: 'another' }])(
    'are not found under the secrets %j',
    (others) => expect(find(new StoredCredentials(tokens, others), 'all')).toBeUndefined(),
  );

  test('are refused when they expire, also after they were accepted', () => {
    const expires = Date.now() + 60_000;
    vi.useFakeTimers({ now: expires });
    const credentials = new StoredCredentials([apiToken('all', { expires })], secrets);
    expect(find(credentials, 'all')?.permissions.id).toBe('full');
    vi.setSystemTime(expires + 1);
    expect(() => credentials.recall(digestOfToken('all'))).toThrow('Token expired');
    expect(() => find(credentials, 'all')).toThrow('Token expired');
  });
});

test('content without credentials knows no token', () => {
  expect(find(noCredentials, '')).toBeUndefined();
  expect(noCredentials.secrets).toBeNull();
});
