/** The database of a project is found in the usual forms of its configuration, and other forms give a sentence. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import type { ServerLocation } from '../../src/load/database/location.ts';
import { configured } from '../../src/load/project/configuration.ts';
import { databaseLocationOf } from '../../src/load/project/database-location.ts';
import { temporaryFolder } from '../support/folders.ts';

function projectWith(files: Record<string, string>): string {
  const project = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  return project;
}

function fileOf(project: string, variables: Record<string, string> = {}): string {
  const location = databaseLocationOf(project, new Map(Object.entries(variables)));
  if (location.client !== 'sqlite') throw new Error(`the database is of ${location.client}`);
  return location.file;
}

/** Returns the database of a project with these files, relative to the project. */
function databaseIn(files: Record<string, string>, variables: Record<string, string> = {}): string {
  const project = projectWith(files);
  return relative(project, fileOf(project, variables));
}

/** What Strapi's installer writes, as the body of the function and the way up from the folder of the file. */
const template = (up: string) => `{
  const client = env('DATABASE_CLIENT', 'sqlite');

  const connections = {
    mysql: {
      connection: {
        host: env('DATABASE_HOST', 'localhost'),
        port: env.int('DATABASE_PORT', 3306),
        ssl: env.bool('DATABASE_SSL', false) && { ca: fs.readFileSync(env('DATABASE_SSL_CA')) },
      },
      pool: { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) },
    },
    postgres: { connection: { connectionString: env('DATABASE_URL'), host: env('DATABASE_HOST', 'localhost') } },
    sqlite: {
      connection: {
        filename: path.join(__dirname, ${up}, env('DATABASE_FILENAME', '.tmp/data.db')),
      },
      useNullAsDefault: true,
    },
  };

  return {
    connection: {
      client,
      ...connections[client],
      acquireConnectionTimeout: env.int('DATABASE_CONNECTION_TIMEOUT', 60000),
    },
  };
}`;

const typescript = `import path from 'path';
import type { Core } from '@strapi/strapi';

const config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Database => ${template("'..', '..'")};

export default config;
`;

const compiled = `"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
const path_1 = __importDefault(require("path"));
const config = ({ env }) => ${template("'..', '..'").replace('path.join', 'path_1.default.join')};
exports.default = config;
`;

const javascript = `const path = require('path');

module.exports = ({ env }) => ${template("'..'")};
`;

const plain = (connection: string) =>
  `module.exports = { connection: { client: 'sqlite', connection: ${connection} } };`;

test.each<[string, Record<string, string>, Record<string, string>, string]>([
  ['the TypeScript of the installer', { 'config/database.ts': typescript }, {}, '.tmp/data.db'],
  ['its JavaScript', { 'config/database.js': javascript }, {}, '.tmp/data.db'],
  ['its compiled form alone', { 'dist/config/database.js': compiled }, {}, '.tmp/data.db'],
  [
    'a file that the environment names',
    { 'config/database.ts': typescript },
    { DATABASE_FILENAME: 'data/site.db' },
    'data/site.db',
  ],
  ['a plain object', { 'config/database.js': plain("{ filename: 'site.db' }") }, {}, 'site.db'],
  [
    'JSON',
    { 'config/database.json': '{"connection":{"client":"sqlite","connection":{"filename":"a.db"}}}' },
    {},
    'a.db',
  ],
  [
    'the older client name, and the variables of the process',
    {
      'config/database.js':
        "module.exports = { connection: { client: 'better-sqlite3', connection: { filename: process.env.FILE ?? 'b.db' } } };",
    },
    {},
    'b.db',
  ],
  [
    'a condition, and a file beside',
    {
      'config/database.js': `const { folder } = require('./names');
module.exports = ({ env }) => ({ connection: { client: 'sqlite',
  connection: env('NODE_ENV') === 'test' ? { filename: ':memory:' } : { filename: \`\${folder}/c.db\` } } });`,
      'config/names.js': "module.exports = { folder: 'data' };",
    },
    {},
    'data/c.db',
  ],
  [
    'the file of another environment over the common one',
    {
      'config/database.js': javascript,
      'config/env/production/database.js': plain("{ filename: 'live.db' }"),
      'config/env/staging/database.js': plain("{ filename: 'staging.db' }"),
    },
    { NODE_ENV: 'production' },
    'live.db',
  ],
  [
    'what the file of an environment leaves to the common one',
    {
      'config/database.js': plain("{ filename: 'common.db' }"),
      'config/env/development/database.js': 'module.exports = { settings: {} };',
    },
    {},
    'common.db',
  ],
  [
    'code that cannot be read, with variables that decide',
    { 'config/database.js': 'module.exports = require("./make")();' },
    { DATABASE_FILENAME: '.tmp/data.db' },
    '.tmp/data.db',
  ],
])('finds the database in %s', (_, files, variables, expected) => {
  expect(databaseIn(files, variables)).toBe(expected);
});

const decides = /DATABASE_CLIENT and DATABASE_FILENAME have to be set in \.env or in the environment/;

test.each<[string, string, RegExp]>([
  [
    'a call',
    "module.exports = { connection: { client: 'sqlite', connection: { filename: find() } } };",
    /config\/database\.js:1: is the result of a call/,
  ],
  [
    'a function with statements',
    'module.exports = ({ env }) => {\n  if (env.X) return {};\n  return {};\n};',
    /config\/database\.js:1: does more than return a value/,
  ],
  ['a way that leads to itself', 'const a = b;\nconst b = a;\nmodule.exports = a;', /config\/database\.js/],
  ['no file', 'module.exports = {};', /it names no file/],
])('names the place of %s', (_, text, message) => {
  const files = { 'config/database.js': text };
  expect(() => databaseIn(files)).toThrow(message);
  expect(() => databaseIn(files)).toThrow(decides);
});

test('a project without configuration needs the variables', () => {
  expect(() => databaseIn({})).toThrow(decides);
});

test.each([typescript, javascript])('a project may be named from the working folder', (code) => {
  const project = projectWith({ [code === typescript ? 'config/database.ts' : 'config/database.js']: code });
  const found = fileOf(relative(process.cwd(), project));
  expect(found).toBe(join(project, '.tmp', 'data.db'));
});

test('a syntax error is named with its line', () => {
  expect(() => databaseIn({ 'config/database.js': 'module.exports = {\n  connection: {{}\n};' })).toThrow(
    /config\/database\.js:2: cannot be parsed/,
  );
});

/** What Strapi's installer writes for PostgreSQL. */
const postgres = `module.exports = ({ env }) => {
  const client = env('DATABASE_CLIENT', 'postgres');
  const connections = {
    postgres: {
      connection: {
        connectionString: env('DATABASE_URL'),
        host: env('DATABASE_HOST', 'localhost'),
        port: env.int('DATABASE_PORT', 5432),
        database: env('DATABASE_NAME', 'strapi'),
        user: env('DATABASE_USERNAME', 'strapi'),
        password: env('DATABASE_PASSWORD', 'strapi'),
        ssl: env.bool('DATABASE_SSL', false) && {
          key: env('DATABASE_SSL_KEY', undefined),
          ca: env('DATABASE_SSL_CA', undefined),
          rejectUnauthorized: env.bool('DATABASE_SSL_REJECT_UNAUTHORIZED', true),
        },
        schema: env('DATABASE_SCHEMA', 'public'),
      },
      pool: { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) },
    },
  };
  return { connection: { client, ...connections[client] } };
};`;

const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';

function serverIn(code: string, variables: Record<string, string> = {}) {
  return databaseLocationOf(projectWith({ 'config/database.js': code }), new Map(Object.entries(variables)));
}

const local = {
  client: 'postgres',
  host: 'localhost',
  port: 5432,
  database: 'strapi',
  schema: 'public',
  user: 'strapi',
  password: 'strapi',
  tls: null,
};

test('the settings of a PostgreSQL database are those of the template and of the environment', () => {
  expect(serverIn(postgres)).toEqual(local);
  const variables = {
    DATABASE_HOST: 'db.example.org',
    DATABASE_PORT: '6432',
    DATABASE_PASSWORD: 'p@ss',
    DATABASE_SSL: 'true',
  };
  expect(serverIn(postgres, { ...variables, DATABASE_SSL_CA: certificate })).toEqual({
    ...local,
    host: 'db.example.org',
    port: 6432,
    password: 'p@ss',
    tls: { rejectUnauthorized: true, ca: certificate, cert: null, key: null },
  });
});

test('a connection string has precedence, and leaves the schema as it is', () => {
  const given = (url: string, more = {}) => serverIn(postgres, { DATABASE_URL: url, DATABASE_SCHEMA: 'cms', ...more });
  expect(given('postgres://ada:a%20b%3F@db.example.org/site')).toEqual({
    ...local,
    host: 'db.example.org',
    database: 'site',
    schema: 'cms',
    user: 'ada',
    password: 'a b?',
  });
  expect(given('postgresql://[::1]:5433/site?sslmode=no-verify')).toMatchObject({
    host: '::1',
    port: 5433,
    user: null,
    password: null,
    tls: { rejectUnauthorized: false },
  });
  expect(given('postgres://db/site?sslmode=disable', { DATABASE_SSL: 'true' })).toMatchObject({ tls: null });
  expect(given('postgres://db/site', { DATABASE_SSL: 'true' })).toMatchObject({ tls: { rejectUnauthorized: true } });
  expect(given('postgres:///site?host=/run/postgresql')).toMatchObject({ host: '/run/postgresql' });
  const whole = `module.exports = ({ env }) => ({ connection: { client: 'postgres', connection: env('URL') } });`;
  expect(serverIn(whole, { URL: 'postgres://db/site' })).toMatchObject({ host: 'db', database: 'site' });
});

test('the variables of the template stand in for code that computes the settings', () => {
  const code = postgres.replace("env('DATABASE_HOST', 'localhost')", "fs.readFileSync('host', 'utf8')");
  expect(serverIn(code, { DATABASE_HOST: 'db' })).toMatchObject({ host: 'db' });
  expect(() => serverIn(code)).toThrow(
    /config\/database\.js:7: connection\.connection\.host cannot be read: .*DATABASE_HOST/s,
  );
});

test.each([
  ['postgres://ada:secret@db', /connection string .* is not of the form/],
  ['host=db password=secret', /connection string .* is not of the form/],
  ['postgres://ada:secret%zz@db/site', /connection string .* is not of the form/],
  ['postgres://ada:secret@db:port/site', /connection string .* is not of the form/],
])('the connection string %s gives a sentence without it', (url, message) => {
  let error = new Error();
  try {
    serverIn(postgres, { DATABASE_URL: url });
  } catch (thrown) {
    error = thrown as Error;
  }
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('secret');
});

/** The configuration of the installer with another `ssl`. */
const withSsl = (ssl: string) => `module.exports = ({ env }) => ({ connection: { client: 'postgres',
  connection: { host: 'db', database: 'site', ssl: ${ssl} } } });`;

test.each<[string, Record<string, string>, unknown]>([
  ['true', {}, { rejectUnauthorized: true, ca: null }],
  ['false', {}, null],
  ["env.bool('DATABASE_SSL', false)", { DATABASE_SSL: 'true' }, { rejectUnauthorized: true }],
  ["{ rejectUnauthorized: env.bool('VERIFY', true) }", { VERIFY: 'false' }, { rejectUnauthorized: false }],
  ["env('CA') && { ca: env('CA'), checkServerIdentity: () => undefined }", { CA: certificate }, { ca: certificate }],
  ["env('CA') && { ca: [env('CA'), env('CA')] }", { CA: certificate }, { ca: `${certificate}\n${certificate}` }],
  ["env('CA') && { ca: fs.readFileSync(env('CA')) }", {}, null],
  ['{ checkServerIdentity: () => undefined }', { DATABASE_SSL: 'true' }, { rejectUnauthorized: true }],
  [
    'makeSsl()',
    {
      DATABASE_SSL_CA: certificate,
      DATABASE_SSL_CERT: '',
      DATABASE_SSL_KEY: '',
      DATABASE_SSL_REJECT_UNAUTHORIZED: 'true',
    },
    { ca: certificate },
  ],
])('ssl: %s', (ssl, variables, expected) => {
  const { tls } = serverIn(withSsl(ssl), variables) as ServerLocation;
  if (expected === null) expect(tls).toBeNull();
  else expect(tls).toMatchObject(expected as object);
});

test.each([
  ["'require'", /connection\.ssl is neither true, false nor an object/],
  ["{ ca: './ca.pem' }", /connection\.ssl\.ca is no text in PEM form/],
  [
    "{ ca: fs.readFileSync('missing.pem') }",
    /config\/database\.js:2: connection\.connection\.ssl\.ca cannot be read: reads the file .*\/missing\.pem/,
  ],
  ['{ checkServerIdentity: () => undefined }', /connection\.ssl is code that cannot be read; set DATABASE_SSL/],
  ['makeSsl()', /config\/database\.js:2: connection\.connection\.ssl\.ca cannot be read/],
])('ssl: %s is no connection without encryption, but a sentence', (ssl, message) => {
  expect(() => serverIn(withSsl(ssl))).toThrow(message);
});

test('files with certificates that a connection string names', () => {
  const folder = projectWith({ 'ca.pem': certificate });
  const given = (query: string) => serverIn(postgres, { DATABASE_URL: `postgres://db/site?${query}` });
  const ca = encodeURIComponent(join(folder, 'ca.pem'));
  for (const query of [`sslrootcert=${ca}`, `sslmode=verify-full&sslrootcert=${ca}`]) {
    expect(given(query)).toMatchObject({ tls: { rejectUnauthorized: true, ca: certificate } });
  }
  expect(() => given('sslrootcert=missing.pem')).toThrow(/missing\.pem: no such file, but sslrootcert/);
});

test('code that computes the connection string is no connection to another database', () => {
  const code = postgres.replace("env('DATABASE_URL')", 'urlOf(env)');
  const message =
    /config\/database\.js:6: connection\.connection\.connectionString cannot be read: .*write it as env\('DATABASE_URL'\)/;
  expect(() => serverIn(code, { DATABASE_URL: 'postgres://db/site' })).toThrow(message);
});

test('settings that name no database give a sentence', () => {
  expect(() => serverIn(postgres, { DATABASE_PORT: '99999' })).toThrow(/connection\.port is no port: "99999"/);
  expect(() => serverIn(postgres, { DATABASE_NAME: '' })).toThrow(/connection\.database names no database/);
});

test.each(['mysql', 'mysql2'])('the client %s is a MySQL database, with its own defaults', (client) => {
  const code = `module.exports = ({ env }) => ({ connection: { client: env('DATABASE_CLIENT'), connection: {
    host: env('DATABASE_HOST', 'localhost'), port: env.int('DATABASE_PORT', 3306), database: env('DATABASE_NAME', 'strapi'),
    user: env('DATABASE_USERNAME', 'strapi'), password: env('DATABASE_PASSWORD', 'strapi'),
    ssl: env.bool('DATABASE_SSL', false) && { ca: env('CA') } } } });`;
  const expected = { ...local, client: 'mysql', port: 3306, schema: null };
  expect(serverIn(code, { DATABASE_CLIENT: client })).toEqual(expected);
  expect(serverIn(code, { DATABASE_CLIENT: client, DATABASE_SSL: 'true', CA: certificate })).toMatchObject({
    tls: { rejectUnauthorized: true, ca: certificate },
  });
  const address = `module.exports = { connection: { client: '${client}', connection: 'mysql://me:secret@db/site' } };`;
  expect(serverIn(address)).toMatchObject({ client: 'mysql', host: 'db', port: 3306, user: 'me', password: 'secret' });
  expect(() => serverIn(address.replace('mysql://', 'postgres://'))).toThrow(/not of the form mysql:\/\/USER/);
});

test.each(['oracledb', 'mssql'])('%s gives the other ways in one sentence', (client) => {
  const message = new RegExp(
    `uses the database ${client}; only SQLite, PostgreSQL, MySQL and MariaDB .*strapi export .*lectern pull.* --follow`,
  );
  expect(() => databaseIn({ 'config/database.ts': typescript }, { DATABASE_CLIENT: client })).toThrow(message);
  expect(() => databaseIn({}, { DATABASE_CLIENT: client })).toThrow(message);
});

test('a value of another file is read in the same way', () => {
  const text = `export default ({ env }) => ({ host: env('HOST'), dirs: { public: env('PUBLIC', './www') } });`;
  const project = projectWith({ 'config/server.ts': text });
  expect(configured(project, 'server', ['dirs', 'public'], new Map())).toBe('./www');
  expect(configured(project, 'server', ['dirs', 'other'], new Map())).toBeUndefined();
});

test.each([
  ['additions', "const a0 = 'x';", (n: number) => `const a${n} = a${n - 1} + a${n - 1};`],
  ['texts', "const a0 = 'x';", (n: number) => `const a${n} = \`\${a${n - 1}}\${a${n - 1}}\`;`],
  ['comparisons', "const a0 = 'x';", (n: number) => `const a${n} = a${n - 1} === a${n - 1};`],
  ['lists', "const a0 = ['x'];", (n: number) => `const a${n} = [a${n - 1}, ...a${n - 1}];`],
  ['objects', "const a0 = { x: 'x' };", (n: number) => `const a${n} = { ...a${n - 1}, y: { ...a${n - 1} } };`],
  ['paths', "const a0 = 'x';", (n: number) => `const a${n} = path.join(a${n - 1}, a${n - 1});`],
  ['calls', 'const a0 = (x) => x + x;', (n: number) => `const a${n} = (x) => a${n - 1}(a${n - 1}(x));`],
  ['shared values', 'const a0 = (x) => [x, x];', (n: number) => `const a${n} = (x) => [a${n - 1}(x), a${n - 1}(x)];`],
])('a configuration whose lines each double a value is refused: %s', (name, first, line) => {
  const lines = Array.from({ length: 24 }, (_, i) => line(i + 1));
  const filename = name === 'calls' || name === 'shared values' ? "a24('x')" : 'a24';
  const values = `connection: { client: 'sqlite', connection: { filename: ${filename} } }`;
  const file = [first, ...lines, `module.exports = () => ({ ${values} });`].join('\n');
  expect(() => databaseIn({ 'config/database.js': file })).toThrow(
    /config\/database\.js:\d+: takes more than 10000 steps to evaluate$/m,
  );
});

test('a configuration whose spreads each double the way to a value is refused', () => {
  const lines = Array.from({ length: 24 }, (_, i) => `const a${i + 1} = { ...a${i}, ...a${i} };`);
  const file = ['const a0 = {};', ...lines, 'module.exports = () => ({ connection: { connection: a24 } });'].join('\n');
  expect(() => databaseIn({ 'config/database.js': file })).toThrow(/takes more than 10000 steps to evaluate$/m);
});

test('a value that a function passes on ten thousand times is refused', () => {
  const doubled = Array.from({ length: 30 }, () => 'd(').join('');
  const file = `const d = (x) => [x, x];
    module.exports = () => ({ connection: { connection: { filename: ${doubled}'x'${')'.repeat(30)} } } });`;
  expect(() => databaseIn({ 'config/database.js': file })).toThrow(/takes more than 10000 steps to evaluate$/m);
});
