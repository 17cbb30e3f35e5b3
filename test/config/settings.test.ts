import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readSettings, settingsHelp } from '../../src/cli/settings.ts';
import { open } from '../../src/index.ts';
import { type Config, configSchema } from '../../src/model/settings/config.ts';
import { readSources, serverWarnings } from '../../src/model/settings/read-config.ts';
import { readVariables, variablesOf } from '../../src/model/settings/variables.ts';
import { temporaryFolder } from '../support/folders.ts';
import { sha256 } from '../support/guide.ts';

/** Settings from flags, the environment and a file together. */

const folder = temporaryFolder();

function file(content: object): string {
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const fromVariables = (environment: Record<string, string>): Config => readSettings({}, environment).config;

function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the settings were accepted');
}

/** A text and its value for each kind of setting. */
const samples: Record<string, [text: string, value: unknown]> = {
  LECTERN_DIALECT: ['strapi', 'strapi'],
  LECTERN_MAX_LIMIT: ['200', 200],
  LECTERN_BUDGETS_STEPS: ['5000000', 5_000_000],
  LECTERN_CACHE_BYTES: ['0', 0],
  LECTERN_COMPRESSION: ['false', false],
  LECTERN_SECURITY_HEADERS: ['0', false],
  LECTERN_LOG_REQUESTS: ['1', true],
  LECTERN_JWT_SECRET: ['12345', '12345'],
  LECTERN_CORS_ORIGINS: ['https://a.example, https://b.example', ['https://a.example', 'https://b.example']],
  LECTERN_CORS_EXPOSED_HEADERS: ['["ETag"]', ['ETag']],
  LECTERN_TRUST_PROXY: ['loopback', ['loopback']],
  LECTERN_ROLES: ['[{"type":"public","permissions":[]}]', [{ type: 'public', permissions: [] }]],
  LECTERN_RATE_LIMIT: ['{"requests": 5}', { requests: 5, seconds: 60 }],
  LECTERN_ADMIN_HOST: ['::1', '::1'],
};

describe('the environment', () => {
  const variables = variablesOf(configSchema);

  test('has a uniquely named variable for every setting', () => {
    const names = variables.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^LECTERN(_[A-Z0-9]+)+$/);
    const { properties } = z.toJSONSchema(configSchema, { io: 'input' });
    const settings = Object.keys(properties!).filter((key) => key !== '$schema');
    expect(new Set(variables.map(({ path }) => path[0]))).toEqual(new Set(settings));
  });

  test.each(Object.entries(samples))('reads %s', (name, [text, value]) => {
    const { path } = variables.find((variable) => variable.name === name)!;
    const config = fromVariables({ [name]: text });
    expect(path.reduce((inner: any, key) => inner[key], config)).toEqual(value);
  });

  test('treats an empty variable as unset', () => {
    expect(fromVariables({ LECTERN_PORT: '', PORT: '', LECTERN_DEFAULTS: '', LECTERN_CONFIG: '' })).toEqual(
      configSchema.parse({}),
    );
  });

  test('sets a member of a group beside the file and other variables', () => {
    const config = file({ budgets: { nodes: 5, bytes: 6 } });
    const environment = { LECTERN_BUDGETS_BYTES: '7', LECTERN_CORS_MAX_AGE: '8', LECTERN_CORS: '{"origins":[]}' };
    const { budgets, cors } = readSettings({ config }, environment).config;
    expect(budgets).toMatchObject({ nodes: 5, bytes: 7, steps: 20_000_000 });
    expect(cors).toMatchObject({ origins: [], maxAge: 8 });
  });

  test('common short names set the same settings, and full names override them', () => {
    const short = { PORT: '1', HOST: '::1', ADMIN_PORT: '2', LOG_LEVEL: 'warn', JWT_SECRET: 's' };
    expect(fromVariables(short)).toMatchObject({ port: 1, host: '::1', adminPort: 2, jwtSecret: 's' });
    expect(fromVariables(short).log.level).toBe('warn');
    expect(fromVariables({ ...short, LECTERN_PORT: '3', LECTERN_LOG_LEVEL: 'error' })).toMatchObject({
      port: 3,
      log: { level: 'error' },
    });
  });

  test('names the config file, and gives defaults that the file may override', () => {
    const LECTERN_DEFAULTS = '{"host": "0.0.0.0", "log": {"level": "warn", "requests": true}}';
    const LECTERN_CONFIG = file({ log: { level: 'error' }, maxLimit: 7 });
    const config = fromVariables({ LECTERN_CONFIG, LECTERN_DEFAULTS });
    expect(config).toMatchObject({ host: '0.0.0.0', maxLimit: 7, log: { level: 'error', requests: true } });
    expect(fromVariables({ LECTERN_CONFIG, LECTERN_DEFAULTS, HOST: '::1' }).host).toBe('::1');
  });

  test('ignores the variables that Kubernetes sets for a service named lectern', () => {
    const config = fromVariables({
      LECTERN_SERVICE_HOST: '10.0.0.1',
      LECTERN_SERVICE_PORT: '1337',
      LECTERN_SERVICE_PORT_HTTP: '1337',
      LECTERN_PORT: 'tcp://10.0.0.1:1337',
      LECTERN_PORT_1337_TCP: 'tcp://10.0.0.1:1337',
      LECTERN_PORT_1337_TCP_ADDR: '10.0.0.1',
      LECTERN_ADMIN_PORT: 'tcp://10.0.0.2:1338',
      LECTERN_ADMIN_SERVICE_HOST: '10.0.0.2',
    });
    expect(config).toEqual(configSchema.parse({}));
  });

  test.each<[Record<string, string>, string]>([
    [{ LECTERN_BUDGET_STEPS: '1' }, 'LECTERN_BUDGET_STEPS: no such setting (did you mean LECTERN_BUDGETS_STEPS?)'],
    [{ LECTERN_XYZ: '1' }, 'LECTERN_XYZ: no such setting'],
    [{ LECTERN_MAX_LIMIT: 'ten' }, 'LECTERN_MAX_LIMIT: maxLimit: must be of type number, is "ten"'],
    [{ LECTERN_COMPRESSION: 'maybe' }, 'LECTERN_COMPRESSION: compression: must be of type boolean, is "maybe"'],
    [
      { LECTERN_CORS_ORIGINS: 'https://a.example,b' },
      'LECTERN_CORS_ORIGINS: cors.origins[1]: must be * or an origin such as https://example.org, without a path, is "b"',
    ],
    [{ LECTERN_TOKENS: 'secret' }, 'LECTERN_TOKENS: must be JSON: '],
    [{ LECTERN_DEFAULTS: '{"prot": 1}' }, 'LECTERN_DEFAULTS: prot: unknown key'],
    [{ LECTERN_DEFAULTS: '{' }, 'LECTERN_DEFAULTS:1:2: invalid JSON: '],
    [{ LECTERN_RATE_LIMIT_SECONDS: '5' }, 'settings: rateLimit.requests: is required'],
  ])('rejects %j', (environment, message) => {
    expect(refusal(() => fromVariables(environment))).toContain(message);
  });

  test.each<Record<string, string>>([
    { LECTERN_TOKENS: '[{"name": "a", "type": "read-only", "sha256": "7355608"}]' },
    { LECTERN_TOKENS: '[{"name": "a", "type": "read-only", "sha256": 7355608}]' },
    { LECTERN_TOKENS: '7355608' },
    { LECTERN_TOKENS: '[7355608, "7355608"]' },
    { LECTERN_TOKENS: '7355608 oops' },
    { LECTERN_DEFAULTS: '{"jwtSecret": 7355608}' },
    { LECTERN_DEFAULTS: '{"jwtSecret": ["7355608"]}' },
    { LECTERN_DEFAULTS: '{"jwtSecret": {"value": 7355608}}' },
    { LECTERN_DEFAULTS: '{"jwtSecret": x7355608}' },
    { LECTERN_DEFAULTS: '{"tokens": {"a": "7355608"}}' },
  ])('shows no secret of the wrong kind: %j', (environment) => {
    const message = refusal(() => fromVariables(environment));
    expect(message).toMatch(/tokens|jwtSecret|LECTERN_/i);
    expect(message).not.toContain('7355608');
  });
});

describe('a value of another kind', () => {
  const read = (schema: z.ZodType, text: string) =>
    readVariables(variablesOf(z.object({ x: schema })), { LECTERN_X: text }).settings[0].value;

  test.each<[string, z.ZodType, string, unknown]>([
    ['a union of boolean and text', z.union([z.string(), z.boolean()]), 'true', true],
    ['the same with text', z.union([z.string(), z.boolean()]), '/srv', '/srv'],
    ['a record', z.record(z.string(), z.object({})).default({}), '{"a": {}}', { a: {} }],
    ['a list of numbers', z.array(z.int()), '1, 2', [1, 2]],
    ['a choice', z.enum(['a', 'b']).optional(), 'a', 'a'],
    ['a text that is changed', z.string().transform((text) => text.length), 'abc', 'abc'],
  ])('%s', (_, schema, text, value) => expect(read(schema, text)).toEqual(value));
});

test('flags win over the environment, and the environment over the file', () => {
  const config = file({ port: 1, maxLimit: 7 });
  expect(readSettings({ config }, {}).config.port).toBe(1);
  expect(readSettings({ config }, { LECTERN_PORT: '2' }).config).toMatchObject({ port: 2, maxLimit: 7 });
  const flags = { config, port: 3, adminHost: '::1', logLevel: 'warn' as const };
  const settings = readSettings(flags, { LECTERN_PORT: '2', LECTERN_LOG_REQUESTS: 'true' }).config;
  expect(settings).toMatchObject({ port: 3, adminHost: '::1', log: { level: 'warn', requests: true } });
});

test('a problem names the source that gives the value', () => {
  const config = file({ maxLimit: 10 });
  const message = refusal(() => readSettings({ config }, { LECTERN_DEFAULT_LIMIT: '11' }));
  expect(message).toBe('LECTERN_DEFAULT_LIMIT: defaultLimit: must be at most maxLimit (10), is 11');
  expect(refusal(() => readSettings({ config: file({ port: 5 }), adminPort: 5 }, {}))).toBe(
    'flags: adminPort: must differ from port, is 5',
  );
});

test('the help names only existing variables', () => {
  const known = new Set(variablesOf(configSchema).map(({ name }) => name));
  const named = settingsHelp.match(/LECTERN_[A-Z_]+(?==)/g)!;
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

describe('settings without effect are reported', () => {
  test.each<[string, string | null]>([
    ['*', null],
    ['https://example.org', null],
    ['http://localhost:3000', null],
    ['capacitor://localhost', null],
    ['https://Example.org', 'browsers send "https://example.org"'],
    ['https://example.org:443', 'browsers send "https://example.org"'],
    ['https://münchen.example', 'browsers send "https://xn--mnchen-3ya.example"'],
    ['https://user@example.org', 'browsers send "https://example.org"'],
    ['https://*.example.org', 'a name cannot contain wildcards; use "*" alone for all sites'],
    ['https://example.org:port', 'it is not a URL'],
  ])('an origin: %s', (origin, reason) => {
    const config = configSchema.parse({ cors: { origins: [origin] } });
    const message = `cors.origins[0]: "${origin}" matches no site: ${reason}`;
    expect(serverWarnings(config)).toEqual(reason === null ? [] : [{ kind: 'wrong-setting', count: 1, message }]);
  });

  test('admin tokens and a journal without an admin port', () => {
    const admin = { tokens: [{ name: 'deploy', sha256: sha256('x'), rights: ['reload'] }] };
    const journal = 'content.journal';
    expect(serverWarnings(configSchema.parse({ admin, journal })).map(({ message }) => message)).toEqual([
      'admin.tokens: there is no admin port on which they could be sent: set adminPort',
      'journal: there is no admin port that takes changes: set adminPort',
    ]);
    expect(serverWarnings(configSchema.parse({ admin, journal, adminPort: 1 }))).toEqual([]);
  });

  test('a role that no caller has is reported', async () => {
    const snapshot = { contentTypes: [], roles: [{ type: 'editor', permissions: [] }] };
    const types = ['public', 'authenticated', 'editor', 'editr', 'Public '];
    const { summary } = await open(snapshot, { roles: types.map((type) => ({ type, permissions: [] })) });
    expect(summary.warnings.map(({ message }) => message)).toEqual([
      'roles[3].type: no caller has the role "editr" (did you mean "editor"?)',
      'roles[4].type: no caller has the role "Public " (did you mean "public"?)',
    ]);
  });
});

test('what the content says counts where no other source does', () => {
  const content = { place: 'my-strapi/config/api', settings: { prefix: '/v1', defaultLimit: 10, maxLimit: 50 } };
  const of = (flags: object = {}, environment = {}) => readSources({ flags, environment, content }).config;
  expect(of()).toMatchObject({ prefix: '/v1', defaultLimit: 10, maxLimit: 50 });
  expect(of({ prefix: '/api' })).toMatchObject({ prefix: '/api', maxLimit: 50 });
  // a limit that the content gives could contradict one that is given
  expect(of({}, { LECTERN_MAX_LIMIT: '5' })).toMatchObject({ prefix: '/v1', defaultLimit: 5, maxLimit: 5 });
  expect(of({ defaultLimit: 60 })).toMatchObject({ defaultLimit: 60, maxLimit: 100 });
  const wrong = { ...content, settings: { prefix: 'v1' } };
  expect(refusal(() => readSources({ content: wrong }))).toContain('my-strapi/config/api: prefix');
});
