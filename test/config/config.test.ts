import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Config, ConfigError, configSchema } from '../../src/model/settings/config.ts';
import { readConfig, readOptions } from '../../src/model/settings/read-config.ts';
import { temporaryFolder } from '../support/folders.ts';

const folder = temporaryFolder();
const file = join(folder, 'lectern.json');

function read(content: unknown): Config {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readConfig({ file });
}

/** The lines of the error without the file name, which each must begin with. */
function problems(content: unknown): string[] {
  try {
    read(content);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const lines = (error as Error).message.split('\n');
    for (const line of lines) expect(line).toMatch(`${file}: `);
    return lines.map((line) => line.slice(file.length + 2));
  }
  throw new Error('the config was accepted');
}

const sha256 = 'ab'.repeat(32);
const queryBudgets = { queryBytes: 16_384, parameters: 1000, depth: 20, conditions: 500, populate: 1000, sorts: 200 };

describe('config file', () => {
  test('uses the defaults for an empty config', () => {
    expect(read({})).toEqual({
      tokens: [],
      roles: [],
      defaultLimit: 25,
      maxLimit: 100,
      arrayLimit: 100,
      prefix: '/api',
      budgets: { nodes: 100_000, bytes: 16_777_216, steps: 20_000_000, ...queryBudgets },
      cacheBytes: 67_108_864,
      derivedBytes: 16_777_216,
      earlierBytes: 268_435_456,
      preparedBytes: 16_777_216,
      search: [],
      searchBytes: 268_435_456,
      features: [],
      drafts: false,
      users: true,
      public: false,
      strapiCredentials: true,
      uploadsOrigins: [],
      cacheControl: [],
      cacheTags: false,
      compression: true,
      explain: true,
      explorer: true,
      facets: true,
      openapi: true,
      routes: {},
      host: '127.0.0.1',
      port: 1337,
      adminHost: '127.0.0.1',
      admin: { tokens: [] },
      threads: 1,
      watch: false,
      journalBytes: 16_777_216,
      contents: {
        most: 200,
        uploadBytes: 2 ** 30,
        previewBytes: 2 ** 24,
        idleSeconds: 60,
        cookie: { sameSite: 'lax', frameAncestors: [] },
      },
      follow: { compareSeconds: 300, lookSeconds: 0.1, startSeconds: 60, fullAt: '03:30' },
      metrics: true,
      trustProxy: [],
      securityHeaders: true,
      cors: { origins: ['*'], credentials: false, maxAge: 31_536_000, exposedHeaders: [] },
      timeouts: { headers: 10_000, request: 30_000, upstream: 120_000, send: 30_000, drain: 0, stop: 10_000 },
      connections: { most: 10_000, requests: 0, headerBytes: 32_768, unsentBytes: 268_435_456 },
      queue: { milliseconds: 25, requests: 5000, bytes: 32 * 2 ** 20, perConnection: 100 },
      log: { level: 'info', format: 'auto', requests: false, slowMilliseconds: 100 },
    });
    expect(configSchema.parse({})).toEqual(read({}));
  });

  test('accepts every setting and keeps defaults for missing members', () => {
    const given = {
      $schema: './config.schema.json',
      dialect: 'strapi',
      tokens: [
        { name: 'all', sha256, type: 'full-access' },
        { name: 'some', sha256: sha256.replace('a', 'c'), type: 'custom', permissions: ['api::a.a.find'] },
      ],
      roles: [{ type: 'public', name: 'Public', permissions: ['api::a.a.find'] }],
      users: true,
      jwtSecret: 's',
      jwtManagement: 'refresh',
      strapiCredentials: false,
      defaultLimit: 10,
      derivedBytes: 2 ** 21,
      earlierBytes: 2 ** 22,
      preparedBytes: 2 ** 20,
      search: ['api::a.a.title', '*'],
      searchBytes: 2 ** 21,
      features: ['populateWindow', 'fallbackLocale'],
      drafts: true,
      maxLimit: 500,
      arrayLimit: 200,
      prefix: '/content/v1',
      budgets: { nodes: 5 },
      cacheBytes: 0,
      public: true,
      mediaUrl: 'https://images.example',
      uploadsOrigins: ['http://localhost:1337', 'https://cms.example'],
      uploads: join(folder, 'public/uploads'),
      cacheDir: '/var/cache/lectern',
      uploadsMaxAge: 60,
      tolerance: 'tolerant',
      cacheControl: [{ role: 'authenticated', type: 'api::a.a', value: 'private, max-age=5' }],
      cacheTags: true,
      compression: false,
      explain: false,
      explorer: false,
      facets: false,
      openapi: false,
      routes: { 'api::a.a': { find: { default: { populate: { b: true } }, set: 'sort=c' } } },
      extend: join(folder, 'extension.mjs'),
      host: '::1',
      port: 0,
      adminHost: '::1',
      adminPort: 1,
      admin: { tokens: [{ name: 'deploy', sha256, rights: ['reload', 'contents'] }] },
      threads: 'auto',
      watch: true,
      journalBytes: 1,
      contents: {
        folder: join(folder, 'contents'),
        most: 3,
        uploadBytes: 4,
        previewBytes: 5,
        idleSeconds: 5,
        cookie: { sameSite: 'none', frameAncestors: ['https://admin.example.org:8443', 'http://[::1]:1337'] },
      },
      follow: { enabled: true, compareSeconds: 5, lookSeconds: 60, startSeconds: 1, fullAt: '23:59' },
      metrics: false,
      upstream: 'http://10.0.0.1:1338',
      trustProxy: ['10.0.0.0/8'],
      securityHeaders: false,
      cors: { origins: ['https://a.example'], credentials: true, maxAge: 5, exposedHeaders: ['ETag'] },
      rateLimit: { requests: 5, tokenRequests: 6, seconds: 7 },
      timeouts: { headers: 1, request: 2, upstream: 5, keepAlive: 3, send: 4 },
      connections: { most: 1, requests: 2, headerBytes: 2048, unsentBytes: 4 },
      queue: { milliseconds: 5, requests: 6, bytes: 8, perConnection: 7 },
      log: { level: 'debug', format: 'json', requests: true, slowMilliseconds: 0 },
    };
    expect(read(given)).toEqual({
      ...given,
      budgets: { nodes: 5, bytes: 16_777_216, steps: 20_000_000, ...queryBudgets },
      timeouts: { ...given.timeouts, drain: 0, stop: 10_000 },
    });
    expect(read(`\uFEFF${JSON.stringify(given)}`).port).toBe(0);
  });

  test.each<[unknown, string]>([
    [{ tokn: [] }, 'tokn: unknown key'],
    [{ budgets: { seconds: 1 } }, 'budgets.seconds: unknown key'],
    [{ 'a b': 1 }, '["a b"]: unknown key'],
    [{ timeouts: { headers: 40_000 } }, 'timeouts.headers: must be at most timeouts.request (30000), is 40000'],
    [{ rateLimit: { seconds: 5 } }, 'rateLimit.requests: is required'],
    [{ log: { level: 'loud' } }, 'log.level: must be debug or info or warn or error or silent, is "loud"'],
    ...['*.example.org', 'example.org:80', '.example.org', 'a..b', '127.0.0.1', '', 'http://a.b'].map(
      (domain): [object, string] => [
        { contents: { domain } },
        `contents.domain: must be a domain such as preview.example.org, without * and port, is ${JSON.stringify(domain)}`,
      ],
    ),
    ...[
      '*',
      'https://*.example',
      'https://a.example/',
      'https://a.example; script-src *',
      "'self'",
      'admin.example',
    ].map((origin): [object, string] => [
      { contents: { cookie: { frameAncestors: [origin] } } },
      `contents.cookie.frameAncestors[0]: must be an origin such as https://admin.example.org, without a path, is ${JSON.stringify(origin)}`,
    ]),
    [
      { contents: { cookie: { sameSite: 'none' } } },
      'contents.cookie.sameSite: needs frameAncestors, which lists the origins whose pages may show previews in a frame, is "none"',
    ],
    [{ contents: { cookie: { sameSite: 'strict' } } }, 'contents.cookie.sameSite: must be lax or none, is "strict"'],
    [{ dialect: 'koa' }, 'dialect: must be document or strapi, is "koa"'],
    [{ port: 70000 }, 'port: must be at most 65535, is 70000'],
    [{ port: '1337' }, 'port: must be of type number, is "1337"'],
    [{ port: 1.5 }, 'port: must be a whole number, is 1.5'],
    [{ defaultLimit: 0 }, 'defaultLimit: must be at least 1, is 0'],
    [{ defaultLimit: 101 }, 'defaultLimit: must be at most maxLimit (100), is 101'],
    [{ port: 1337, adminPort: 1337 }, 'adminPort: must differ from port, is 1337'],
    [{ host: '::', port: 9, adminPort: 9 }, 'adminPort: must differ from port, is 9'],
    [{ host: '' }, 'host: must not be empty, is ""'],
    [{ prefix: 'api/' }, 'prefix: must be empty or a path such as /api, without a trailing slash, is "api/"'],
    [{ tolerance: 'lax' }, 'tolerance: must be strict or tolerant, is "lax"'],
    [{ roles: [{ type: 'public' }] }, 'roles[0].permissions: is required'],
    [{ roles: [{ type: 'public', permissions: ['a', ''] }] }, 'roles[0].permissions[1]: must not be empty, is ""'],
    [
      { tokens: [{ name: 'a', sha256, type: 'admin' }] },
      'tokens[0].type: must be full-access or read-only or custom, is "admin"',
    ],
    [{ tokens: [{ name: 'a', sha256, type: 'custom' }] }, 'tokens[0].permissions: is required'],
    [
      { cacheControl: [{ role: 'token', value: 'public, max-age=60' }] },
      'cacheControl[0].value: must include private or no-store, because the role token requires credentials, is "public, max-age=60"',
    ],
    [
      { cacheControl: [{ value: 'public\r\nX: y' }] },
      'cacheControl[0].value: must be a header value in printable ASCII, is "public\\r\\nX: y"',
    ],
    ...(
      [
        ['max-ago=60', 'must not contain the unknown directive max-ago (did you mean "max-age"?)'],
        ['public, s-max-age=5', 'must not contain the unknown directive s-max-age (did you mean "s-maxage"?)'],
        ['max-age', 'must have seconds after max-age, such as max-age=60'],
        ['public, max-age=1.5', 'must have seconds after max-age, such as max-age=60'],
        ['public=1', 'must have no value after public'],
        ['private=""', 'must have header names after "private=", or no "="'],
        ['public max-age=60', 'must be a comma-separated list of directives'],
        ['public;max-age=60', 'must be a comma-separated list of directives'],
        ['max-age=1, max-age=2', 'must contain max-age only once'],
        ['private, public', 'must not contain both public and private'],
      ] as const
    ).map(([value, problem]): [unknown, string] => [
      { cacheControl: [{ value }] },
      `cacheControl[0].value: ${problem}, is ${JSON.stringify(value)}`,
    ]),
    [
      { cacheControl: [{ role: 'token', value: 'private="Set-Cookie", max-age=60' }] },
      'cacheControl[0].value: must include private or no-store, because the role token requires credentials, is "private=\\"Set-Cookie\\", max-age=60"',
    ],
    [{ tokens: [{ name: 'a', sha256, type: 'read-only', permissions: [] }] }, 'tokens[0].permissions: unknown key'],
    [{ tokens: [{ name: 'a', type: 'read-only' }] }, 'tokens[0].sha256: is required'],
    [[], 'must be of type object, is []'],
  ])('rejects %j: %s', (content, problem) => expect(problems(content)).toEqual([problem]));

  test('rejects two tokens with one digest and two roles of one type', () => {
    const token = { name: 'a', sha256, type: 'full-access' };
    const role = { type: 'public', permissions: [] };
    expect(problems({ tokens: [token, { ...token, sha256: sha256.toUpperCase() }] })).toEqual([
      'tokens[1].sha256: must differ from the sha256 of item 0, is a string of 64 characters',
    ]);
    expect(problems({ roles: [role, role] })).toEqual([
      'roles[1].type: must differ from the type of item 0, is "public"',
    ]);
  });

  test.each([
    'no-store',
    'Public, MAX-AGE=60 , s-maxage=5,stale-while-revalidate=600, stale-if-error=86400',
    'private="Set-Cookie, X-A", no-cache="X-B", must-revalidate, immutable',
    'public, max-age=0, must-revalidate, proxy-revalidate, no-transform, must-understand',
  ])('accepts the Cache-Control %s', (value) => {
    expect(read({ cacheControl: [{ value }] }).cacheControl[0].value).toBe(value);
  });

  test('lowers the default of defaultLimit to a maxLimit below 25', () => {
    expect(read({ maxLimit: 10 }).defaultLimit).toBe(10);
    expect(read({ maxLimit: 500 }).defaultLimit).toBe(25);
  });

  test('rejects a secret of JWTs for content without users', () => {
    const problem =
      'users: must be true if jwtSecret is set, because a JWT is accepted only if the content has its user, is false';
    expect(problems({ users: false, jwtSecret: 's3cret' })).toEqual([problem]);
    expect(read({ users: false, jwtManagement: 'refresh' }).users).toBe(false);
  });

  test('accepts one port on two addresses', () => {
    expect(read({ host: '127.0.0.2', port: 9, adminPort: 9 }).adminPort).toBe(9);
  });

  test('rejects admin tokens with the same digest or name, and rights that do not exist or are listed twice', () => {
    const token = { name: 'deploy', sha256, rights: ['reload'] };
    expect(problems({ admin: { tokens: [token, { ...token, sha256: sha256.toUpperCase() }] } })).toEqual([
      'admin.tokens[1].sha256: must differ from the sha256 of item 0, is a string of 64 characters',
      'admin.tokens[1].name: must differ from the name of item 0, is "deploy"',
    ]);
    const rightsOf = (...rights: string[]) => problems({ admin: { tokens: [{ ...token, rights }] } });
    expect(rightsOf('reload', 'write')).toEqual([
      'admin.tokens[0].rights[1]: must be reload or contents or previews or events or changes or pin or hooks, is "write"',
    ]);
    expect(rightsOf('reload', 'reload')).toEqual(['admin.tokens[0].rights[1]: must be listed only once, is "reload"']);
    expect(rightsOf()).toEqual(['admin.tokens[0].rights: must have at least 1 items, has 0']);
  });

  test('prints no text in the place of an admin token', () => {
    for (const admin of ['secret', { tokens: 'secret' }, { tokens: ['secret'] }, { tokens: { deploy: 'secret' } }]) {
      expect(problems({ admin }).join()).toMatch(/^(?!.*secret).*admin/);
    }
  });

  test('reports every problem and no secret', () => {
    const lines = problems({
      port: -1,
      jwtSecret: '',
      tokens: [{ name: 'a', sha256: 'the token itself', type: 'read-only' }],
    });
    expect(lines).toEqual([
      "tokens[0].sha256: must be 64 hex digits (the SHA-256 digest of the token's text), is a string of 16 characters",
      'jwtSecret: must not be empty, is a string of 0 characters',
      'port: must be at least 0, is -1',
    ]);
  });

  test('resolves paths relative to the file and keeps URLs and booleans', () => {
    const paths = {
      extend: './site.mjs',
      uploads: '../files',
      cacheDir: '/var/cache',
      contents: { folder: 'previews' },
    };
    const { extend, uploads, cacheDir, contents } = read(paths);
    expect([extend, uploads, cacheDir]).toEqual([join(folder, 'site.mjs'), join(folder, '../files'), '/var/cache']);
    expect(contents.folder).toBe(join(folder, 'previews'));
    for (const uploads of [true, 'https://files.example.org/x']) expect(read({ uploads })).toMatchObject({ uploads });
  });

  test('suggests the nearest key for a misspelled one', () => {
    expect(
      problems({ maxLimt: 1, budgets: { node: 1 }, tokens: [{ nam: 'a', name: 'a', sha256, type: 'read-only' }] }),
    ).toEqual([
      'tokens[0].nam: unknown key (did you mean "name"?)',
      'budgets.node: unknown key (did you mean "nodes"?)',
      'maxLimt: unknown key (did you mean "maxLimit"?)',
    ]);
  });

  test('reports a file that is missing or not JSON', () => {
    writeFileSync(file, '{\n  "port": }');
    expect(() => readConfig({ file })).toThrow(`${file}:2:11: invalid JSON: expected a value`);
    writeFileSync(file, '{"budgets": {"nodes": 1,\n "nodes": 2}}');
    expect(() => readConfig({ file })).toThrow(`${file}:2:2: duplicate key "nodes"`);
    expect(() => readConfig({ file: join(folder, 'none.json') })).toThrow(/none\.json: cannot be read: ENOENT/);
  });

  test('checks the options of the library by the same rules', () => {
    expect(readOptions()).toEqual(readOptions({ maxLimit: 100 }));
    expect(() => readOptions({ port: 1 } as object)).toThrow('options: port: unknown key');
  });

  test('has an up-to-date published JSON Schema (vitest --update writes it)', async () => {
    const schema = z.toJSONSchema(configSchema, { io: 'input' });
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../../data/schemas/config.schema.json');
  });
});
