/** Query hooks of the module named by `extend`. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import qs from 'qs';
import { afterAll, expect, test, vi } from 'vitest';
import { createListener } from '../../src/http/app.ts';
import { type Content, type OpenOptions, open } from '../../src/index.ts';
import { ask, encodeQuery, guideFolder, openGuide, sha256, thingSnapshot } from '../support/guide.ts';
import { askServer, closeServers, listen } from '../support/http.ts';
import { moduleFile, moduleFolder, removeModulesAfterAll } from './module.ts';

removeModulesAfterAll();

afterAll(closeServers);

const restaurant = 'api::restaurant.restaurant';
const tokens: OpenOptions['tokens'] = [{ name: 'all', sha256: sha256('all'), type: 'full-access' }];

/** A module with one hook for the restaurants. */
const hookFile = (hook: string, before = '') =>
  moduleFile(`${before}\nexport default { routes: { '${restaurant}': { find: { query: ${hook} } } } };`);

const bytesOf = async (content: Content, url: string, token?: string) => {
  const { status, body } = await content.answer(url, { authorization: token && `Bearer ${token}` });
  return `${status} ${body}`;
};

test('a hook rewrites the query, depending on query and role', async () => {
  const extend = hookFile(`(query, { role }) => {
    if (role === 'token') return { ...query, fields: ['name'] };
    query.populate = { chef: { fields: 'name' } };
    return query;
  }`);
  const extended = await openGuide({ extend, tokens });
  const plain = await openGuide({ tokens });
  const text = 'filters[seats][$gte]=10&sort=name';
  const given = { filters: { seats: { $gte: 10 } }, sort: 'name' };
  const url = `/api/restaurants?${encodeQuery(text)}`;
  for (let i = 0; i < 3; i++) {
    expect(await bytesOf(extended, url)).toBe(
      await bytesOf(plain, `/api/restaurants?${qs.stringify({ ...given, populate: { chef: { fields: 'name' } } })}`),
    );
    expect(await bytesOf(extended, url, 'all')).toBe(
      await bytesOf(plain, `/api/restaurants?${qs.stringify({ ...given, fields: ['name'] })}`, 'all'),
    );
  }
  expect(extended.find('restaurants')).toEqual(plain.find('restaurants'));
  expect(await bytesOf(extended, '/api/chefs')).toBe(await bytesOf(plain, '/api/chefs'));
});

test('a hook receives the values of the request and the parameters of the settings', async () => {
  const extend = hookFile(`(query) => ({ sort: query.sort, filters: { name: query.filters?.name ?? 'nothing' } })`);
  const routes = { [restaurant]: { find: { default: { sort: 'id' } } } };
  const content = await openGuide({ extend, routes });
  const names = (await openGuide()).find('restaurants', { fields: ['name'] }).data.map(({ name }: any) => name);
  for (const name of names.filter((text: string | null) => text !== null && text !== '')) {
    const { body } = await ask(content, `/api/restaurants?filters[name]=${encodeURIComponent(name)}`);
    expect((body.data as { name: string }[]).map((entry) => entry.name)).toContain(name);
  }
  expect((await ask(content, '/api/restaurants')).body.data).toEqual([]);
});

test('a hook changes only its own copy of the query', async () => {
  const extend = hookFile(`(query) => { query.populate.chef.fields.push('stars'); return query; }`);
  const routes = { [restaurant]: { find: { default: { populate: { chef: { fields: ['name'] } } } } } };
  const content = await openGuide({ extend, routes, cacheBytes: 0 });
  const first = await bytesOf(content, '/api/restaurants');
  expect(first).toContain('"stars"');
  expect(await bytesOf(content, '/api/restaurants')).toBe(first);
});

test('a cached reply runs no hook again', async () => {
  const extend = hookFile(
    '(query) => { globalThis.lecternHookCalls = (globalThis.lecternHookCalls ?? 0) + 1; return query; }',
  );
  const content = await openGuide({ extend });
  const calls = () => (globalThis as { lecternHookCalls?: number }).lecternHookCalls ?? 0;
  for (let i = 0; i < 2; i++) await bytesOf(content, '/api/restaurants?sort=name');
  const before = calls();
  for (let i = 0; i < 5; i++) await bytesOf(content, '/api/restaurants?sort=name');
  expect(calls()).toBe(before);
});

test('a hook never grants permissions', async () => {
  const content = await openGuide({ extend: hookFile(`(query) => ({ ...query, populate: 'licence' })`) });
  expect(await bytesOf(content, '/api/restaurants')).not.toContain('licence');
});

test('an error with a status rejects the request with it', async () => {
  const extend = hookFile(`(query) => {
    if (!query.locale) throw Object.assign(new Error('A locale is needed'), { status: 400 });
    return { ...query, locale: undefined };
  }`);
  const content = await openGuide({ extend });
  expect(content.summary.warnings).toEqual([]);
  expect((await ask(content, '/api/restaurants')).body.error).toEqual({
    status: 400,
    name: 'BadRequestError',
    message: 'A locale is needed',
    details: {},
  });
  expect((await ask(content, '/api/restaurants?locale=en')).status).toBe(200);
});

test('a hook that throws is a 500 without the message, and the log names file and hook', async () => {
  const extend = hookFile(`(query) => { if (query.sort === 'boom') throw new TypeError('secret'); return query; }`);
  const content = await openGuide({ extend });
  const port = await listen(createListener(content));
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const failed = await askServer(port, '/api/restaurants?sort=boom');
  expect(failed.status).toBe(500);
  expect(failed.json().error).toEqual({
    status: 500,
    name: 'InternalServerError',
    message: 'Internal Server Error',
    details: {},
  });
  expect(String(log.mock.calls[0])).toContain(`${extend}: routes["${restaurant}"].find.query threw TypeError: secret`);
  log.mockRestore();
  expect((await askServer(port, '/api/restaurants?sort=name')).status).toBe(200);
});

const problemOf = async (extend: string, options: OpenOptions = {}): Promise<string> => {
  try {
    await openGuide({ extend, ...options });
  } catch (error) {
    expect((error as Error).name).toBe('ConfigError');
    return (error as Error).message.replaceAll(`${moduleFolder}/`, '');
  }
  throw new Error('the module was accepted');
};

const place = `routes["${restaurant}"].find.query`;
const result = `${place} must return an object of query parameters; it returned`;

test.each([
  ['nothing', '(query) => { query.sort = "id"; }', `${result} undefined (is a return missing?)`],
  ['a promise', '(query) => Promise.resolve(query)', `${result} a promise, but query hooks are synchronous`],
  ['a list', '() => ["sort"]', `${result} ["sort"]`],
  ['a text', '() => "sort=id"', `${result} "sort=id"`],
  ['a map', '() => new Map()', `${result} a Map`],
  [
    'a value that is undefined',
    '(query) => ({ filters: { name: query.name } })',
    `${place} must return an object of query parameters; its filters.name is undefined`,
  ],
  [
    'a function inside',
    '() => ({ populate: { chef: { filters: function named() {} } } })',
    `${place} must return an object of query parameters; its populate.chef.filters is the function named`,
  ],
  [
    'an object that contains itself',
    '() => { const populate = {}; populate.chef = { populate }; return { populate }; }',
    `${place} must return an object of query parameters; its populate is nested too deeply`,
  ],
])('a hook that returns %s is an error at start', async (_, hook, message) => {
  const file = hookFile(hook);
  const name = file.slice(moduleFolder.length + 1);
  for (const tolerance of ['strict', 'tolerant'] as const) {
    expect(await problemOf(file, { tolerance })).toBe(`${name}: ${message}, called with a query without parameters`);
  }
});

test.each([
  [
    'throws',
    '(query) => query.filters.name',
    `threw TypeError: Cannot read properties of undefined (reading 'name'), called with a query without parameters`,
  ],
  ['returns a wrong name', '() => ({ sort: "nosuch" })', 'called with a query without parameters: Invalid key nosuch'],
])('a hook that %s is an error at start, or a warning if the tolerance is tolerant', async (_, hook, message) => {
  const file = hookFile(hook);
  expect(await problemOf(file)).toContain(message);
  const { warnings } = (await openGuide({ extend: file, tolerance: 'tolerant' })).summary;
  expect(warnings).toEqual([{ kind: 'wrong-setting', count: 1, message: expect.stringContaining(message) }]);
});

test.each([
  ['a missing file', 'nosuch.mjs', null, /^nosuch\.mjs: the file does not exist$/],
  [
    'a syntax error',
    'syntax.mjs',
    'export default {\n  routes: {,}\n};',
    /^syntax\.mjs: cannot be loaded: SyntaxError: .+ \(line 2, column 12\)$/,
  ],
  ['a missing import', 'import.mjs', "import './missing.mjs';", /^import\.mjs: cannot be loaded: .*missing\.mjs/],
  [
    'a module that throws',
    'throws.mjs',
    "throw new RangeError('no')",
    /^throws\.mjs: cannot be loaded: RangeError: no$/,
  ],
  [
    'no default export',
    'named.mjs',
    'export const routes = {};',
    /^named\.mjs: must have a default export, such as "export default \{ routes: \{ … \} \}"; it exports routes$/,
  ],
  [
    'a function',
    'function.mjs',
    'export default function site() {}',
    /^function\.mjs: the default export must be an object, is the function site$/,
  ],
  [
    'an unknown key',
    'key.mjs',
    'export default { route: {} }',
    /^key\.mjs: route: unknown key \(did you mean "routes"\?\)$/,
  ],
  [
    'a list of routes',
    'list.mjs',
    'export default { routes: [] }',
    /^list\.mjs: routes: must be an object of hooks by uid and action \(custom routes belong in customRoutes\), is \[\]$/,
  ],
  [
    'a hook that is no function',
    'value.mjs',
    `export default { routes: { '${restaurant}': { find: { query: { sort: 'id' } } } } }`,
    /^value\.mjs: routes\["api::restaurant\.restaurant"\]\.find\.query: must be a function \(query, \{ role \}\) => query, is \{"sort":"id"\}$/,
  ],
  [
    'an async hook',
    'async.mjs',
    `export default { routes: { '${restaurant}': { find: { query: async (query) => query } } } }`,
    /^async\.mjs: routes\["api::restaurant\.restaurant"\]\.find\.query: must not be async, because queries are bound synchronously, is async/,
  ],
  [
    'a hook for an unknown type',
    'type.mjs',
    `export default { routes: { 'api::restaurants.restaurant': { find: { query: (query) => query } } } }`,
    /^type\.mjs: routes\["api::restaurants\.restaurant"\]: no content type with this uid takes queries \(did you mean "api::restaurant\.restaurant"\?\)$/,
  ],
  [
    'a file of another kind',
    'text.txt',
    'hello',
    /^text\.txt: the name must end in \.js or \.mjs, or in \.ts if Node runs TypeScript$/,
  ],
])('%s is an error at start that names the file', async (_, name, text, message) => {
  const file = text === null ? join(moduleFolder, name) : moduleFile(text, name);
  expect(await problemOf(file)).toMatch(message);
});

test('each load imports the module anew and shares no state with earlier ones', async () => {
  const file = moduleFile('', 'again.mjs');
  const write = (sort: string) =>
    writeFileSync(
      file,
      `let calls = 0;\nexport default { routes: { 'api::thing.thing': { find: { query: () => ({ sort: '${sort}', fields: ['n'], pagination: { limit: ++calls < 100 ? 1 : 2 } }) } } } };`,
    );
  const snapshot = thingSnapshot(
    { n: { type: 'integer' } },
    [1, 2, 3].map((n) => ({ documentId: `d${n}`, n })),
  );
  const ns = async (content: Content) =>
    ((await ask(content, '/api/things')).body.data as { n: number }[]).map(({ n }) => n);
  write('n');
  const first = await open(snapshot, { extend: file });
  write('n:desc');
  const second = await open(snapshot, { extend: file });
  expect(await ns(first)).toEqual([1]);
  expect(await ns(second)).toEqual([3]);
  expect(await ns(first)).toEqual([1]);
});

test('a CommonJS module is accepted', async () => {
  const extend = moduleFile(
    `module.exports = { routes: { '${restaurant}': { find: { query: () => ({ fields: ['name'] }) } } } };`,
    'common.cjs',
  );
  const { body } = await ask(await openGuide({ extend }), '/api/restaurants');
  expect(Object.keys((body.data as object[])[0])).toEqual(['id', 'documentId', 'name']);
});

test('a TypeScript module runs where Node supports it and is rejected elsewhere', async () => {
  const text = `export default { routes: { '${restaurant}': { find: { query: (query: object): object => query } } } };`;
  const extend = moduleFile(text, 'typed.ts');
  if ((process.features as { typescript?: unknown }).typescript) await openGuide({ extend });
  else
    expect(await problemOf(extend)).toContain(
      'typed.ts: cannot be loaded: this version of Node does not run TypeScript',
    );
});

test('a worker thread opens the same content with the same options', async () => {
  const extend = hookFile(`(query) => ({ ...query, fields: ['name'], pagination: { limit: 1 } })`);
  const options = { extend, dialect: 'document' as const };
  const library = new URL('../../dist/index.js', import.meta.url).href;
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.library).then(async ({ open }) => {
      const content = await open(workerData.folder, workerData.options);
      parentPort.postMessage(String((await content.answer('/api/restaurants')).body));
    });`;
  const worker = new Worker(code, { eval: true, workerData: { library, folder: guideFolder, options } });
  const [answer] = await once(worker, 'message');
  await worker.terminate();
  expect(answer).toBe(String((await (await open(guideFolder, options)).answer('/api/restaurants')).body));
  expect(JSON.parse(answer).data).toHaveLength(1);
});
