/** `lectern routes`: the setting `routes` proposed from the source of a Strapi project. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Proposal, proposeRoutes, routes } from '../../src/cli/routes.ts';
import { temporaryFolder } from '../support/folders.ts';

const folder = temporaryFolder();
let count = 0;

/** Writes the files of a project, below src/ unless a path begins with a slash, and returns its folder. */
function project(files: Record<string, string>): string {
  const root = join(folder, String(++count));
  mkdirSync(join(root, 'src/api'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name.startsWith('/') ? '' : 'src', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return root;
}

const plants = 'api::plant.plant';

const router = `
import { factories } from '@strapi/strapi';
export default factories.createCoreRouter('${plants}', { config: { find: { middlewares: ['api::plant.fill'] } } });`;

/** Returns what is proposed for a middleware of the route that lists plants, with its findings. */
function proposed(middleware: string, more: Record<string, string> = {}): { find: unknown; findings: string[] } {
  const files = { 'api/plant/routes/plant.ts': router, 'api/plant/middlewares/fill.ts': middleware, ...more };
  const { routes, findings } = proposeRoutes(project(files));
  return { find: routes[plants]?.find, findings: lines(findings) };
}

const lines = (findings: Proposal['findings']) =>
  findings.map(({ file, line, message }) => `${file}:${line}: ${message}`);

/** A middleware with the statements `body`, after the statements `before`. */
const withBody = (body: string, before = '') => `${before}
export default (config, { strapi }: { strapi: Core.Strapi }) => {
  return async (ctx: Context, next: () => Promise<void>) => {
    strapi.log.info('filling', ctx.query);
    ${body}
    await next();
  };
};`;

const populate = { pots: { populate: { image: { fields: ['url'] } } }, seo: true };
const constant = `const populate = ${JSON.stringify(populate)} as const;`;

describe('a middleware', () => {
  test.each<[string, string, object]>([
    ['ctx.query.populate = populate;', constant, { set: { populate } }],
    [
      "ctx.query['populate'] = { ...populate, seo: '*' } satisfies object;",
      constant,
      { set: { populate: { ...populate, seo: '*' } } },
    ],
    ['ctx.query = { populate, ...ctx.query };', constant, { default: { populate } }],
    ['ctx.query = { ...ctx.query, populate };', constant, { set: { populate } }],
    [
      "ctx.query = { sort: 'name', ...ctx.query, populate, locale: 'en' };",
      constant,
      { default: { sort: 'name' }, set: { populate, locale: 'en' } },
    ],
    [
      'ctx.query = { ...added, ...ctx.query };',
      "const added = { populate: ['pots', 'seo'], pagination: { pageSize: 5 } };",
      { default: { populate: ['pots', 'seo'], pagination: { pageSize: 5 } } },
    ],
    [
      "if (!ctx.query.populate) { strapi.log.info('none'); ctx.query.populate = ['pots']; }",
      '',
      { default: { populate: ['pots'] } },
    ],
    ["if (ctx.query.sort === undefined) ctx.query.sort = 'name';", '', { default: { sort: 'name' } }],
    [
      "ctx.query.sort = ctx.query.sort || ['name:' + direction];",
      'const part = `sc`, direction = `de` + part;',
      { default: { sort: ['name:desc'] } },
    ],
    ["ctx.query.sort ??= 'name';", '', { default: { sort: 'name' } }],
    [
      "const { query } = ctx; query.status = 'published'; query.filters = { hidden: { $ne: true }, height: { $gt: -1 } };",
      '',
      { set: { status: 'published', filters: { hidden: { $ne: true }, height: { $gt: -1 } } } },
    ],
    [
      "const q = ctx.request.query; q.populate = all.deep['image'];",
      "const all = { deep: { image: '*' } };",
      { set: { populate: '*' } },
    ],
    ["ctx.query.sort = 'a'; ctx.query.sort = 'b'; ctx.query.sort ||= 'c';", '', { set: { sort: 'b' } }],
    [
      'ctx.query.populate = { pots: media(2), seo: media() };',
      "const media = (size = 1) => ({ fields: ['url'] }); function unused() {}",
      { set: { populate: { pots: { fields: ['url'] }, seo: { fields: ['url'] } } } },
    ],
    [
      "try { ctx.query.populate = 'pots'; await next(); } finally { strapi.log.info('done'); }",
      '',
      { set: { populate: 'pots' } },
    ],
    [
      "if (!ctx.state.user) return ctx.unauthorized('no'); ctx.query.populate = 'pots';",
      '',
      { set: { populate: 'pots' } },
    ],
  ])('%s', (body, before, expected) => {
    expect(proposed(withBody(body, before))).toEqual({ find: expected, findings: [] });
  });

  test.each([
    [
      'module.exports',
      `${constant.replace(' as const', '')}\nmodule.exports = (config, { strapi }) => async (ctx, next) => { ctx.query.populate = populate; await next(); };`,
    ],
    [
      'a named function',
      `${constant}\nexport default function fill() { const inner = async (context, go) => { context.query.populate = populate; await go(); }; return inner; }`,
    ],
    [
      'a constant in its factory',
      `export default () => { ${constant} return async (ctx, next) => { ctx.query.populate = populate; return next(); }; };`,
    ],
    [
      'a compiled file',
      `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n${constant.replace(' as const', '')}\nexports.default = () => { return async (ctx, next) => { ctx.query.populate = populate; await next(); }; };`,
    ],
  ])('is read from %s', (_, text) => {
    expect(proposed(text)).toEqual({ find: { set: { populate } }, findings: [] });
  });

  test.each([
    ["import { populate } from '../populate';", { 'api/plant/populate.ts': `export ${constant}` }],
    [
      "import fill from '../populate.js';\nconst { populate } = fill;",
      { 'api/plant/populate.ts': `export default { populate: ${JSON.stringify(populate)} };` },
    ],
    [
      "const populate = require('../populate');",
      { 'api/plant/populate/index.js': `module.exports = ${JSON.stringify(populate)};` },
    ],
    [
      "const { populate } = require('../populate');",
      { 'api/plant/populate.js': `exports.populate = ${JSON.stringify(populate)};` },
    ],
  ])('reads values from other files: %s', (before, more) => {
    expect(proposed(withBody('ctx.query.populate = populate;', before), more)).toEqual({
      find: { set: { populate } },
      findings: [],
    });
  });

  test.each([
    [
      "ctx.query.populate = deep('plant');",
      5,
      'sets populate to a value that is not constant (line 5: is the result of a call)',
    ],
    [
      'ctx.query.populate = { ...ctx.query.populate, pots: true };',
      5,
      'computes populate from the query; use a query hook',
    ],
    [
      'ctx.query.filters = { owner: ctx.state.user.id };',
      5,
      'sets filters to a value that is not constant (line 5: ctx is not a constant)',
    ],
    ['ctx.query.filters.hidden = false;', 5, 'changes part of a parameter; use a query hook'],
    ["if (ctx.state.user) ctx.query.status = 'draft';", 5, 'changes the query conditionally'],
    [
      "if (ctx.query.all) { await next(); return; }\n    ctx.query.sort = 'name';",
      6,
      'changes sort only for some requests',
    ],
    ['ctx.query = { populate: 1 };', 5, 'replaces the whole query; use a query hook'],
    ['ctx.query = rewritten(ctx.query);', 5, 'replaces the query with a value that is not constant'],
    ["ctx.query.local = 'en';", 5, 'sets local, which is not a parameter of the API'],
    ['enrich(ctx);', 5, 'changes the query in a way that is not recognised'],
    ['for (const name of names) ctx.query[name] = true;', 5, 'changes the query in a way that is not recognised'],
    ['delete ctx.query.populate;', 5, 'changes the query in a way that is not recognised'],
    [
      "const list = ['a']; list.push('b'); ctx.query.populate = list;",
      5,
      'sets populate to a value that is not constant (line 5: list is not a constant)',
    ],
    [
      'ctx.query.populate = { filters: /x/ };',
      5,
      'sets populate to a value that is not constant (line 5: is not JSON)',
    ],
  ])('%s is reported with file and line', (body, line, what) => {
    expect(proposed(withBody(body))).toEqual({
      find: undefined,
      findings: [`src/api/plant/middlewares/fill.ts:${line}: ${what}`],
    });
  });

  test.each([
    ['export default () => async (ctx) => { ctx.body = 1; };', 1, 'answers the request and never calls next'],
    [
      'export default () => async (ctx, next) => { await next(); ctx.body.data = []; };',
      1,
      'changes the reply; use a custom route',
    ],
    ['export const fill = 1;', 1, 'does not export a recognised middleware'],
    ['export default () => {\n  return {;\n};', 2, 'cannot be parsed: Unexpected token'],
  ])('reports code that is not recognised: %s', (text, line, what) => {
    const { findings } = proposed(text);
    expect(findings[0]).toBe(`src/api/plant/middlewares/fill.ts:${line}: ${what}`);
  });

  test('receives the config of its route', () => {
    const text = `import { factories } from '@strapi/strapi';
      const config = { findOne: { middlewares: [{ name: 'global::fill', config: { depth: '*' } }] } };
      export default factories.createCoreRouter('${plants}', { config });`;
    const fill =
      'export default (options) => async (ctx, next) => { ctx.query.populate = options.depth; await next(); };';
    const { routes, findings } = proposeRoutes(
      project({ 'api/plant/routes/plant.ts': text, 'middlewares/fill.ts': fill }),
    );
    expect(routes).toEqual({ [plants]: { findOne: { set: { populate: '*' } } } });
    expect(findings).toEqual([]);
  });

  test('may be defined in the route, and several apply in order', () => {
    const text = `module.exports = createCoreRouter('${plants}', { config: { find: { middlewares: [
      (ctx, next) => { ctx.query = { sort: 'a', populate: 'pots', ...ctx.query }; return next(); },
      async (ctx, next) => { ctx.query.sort = 'b'; await next(); },
    ] } } });`;
    const { routes } = proposeRoutes(project({ 'api/plant/routes/plant.js': text }));
    expect(routes).toEqual({ [plants]: { find: { default: { populate: 'pots' }, set: { sort: 'b' } } } });
  });
});

describe('a controller', () => {
  const controller = (methods: string) => ({
    'api/plant/controllers/plant.ts': `import { factories } from '@strapi/strapi';
export default factories.createCoreController('${plants}', ({ strapi }) => ({
${methods}
}));`,
  });

  test.each<[string, object]>([
    [
      "async find(ctx) { ctx.query.populate = 'pots'; return super.find(ctx); },",
      { find: { set: { populate: 'pots' } } },
    ],
    [
      "async findOne(ctx) { ctx.query = { ...ctx.query, populate: '*' }; const { data, meta } = await super.findOne(ctx); console.log(data); return { data, meta }; },",
      { findOne: { set: { populate: '*' } } },
    ],
    [
      "async find(ctx) { return await super.find({ ...ctx, query: { sort: 'a', ...ctx.query } }); },",
      { find: { default: { sort: 'a' } } },
    ],
    [
      'async find(ctx) { await this.validateQuery(ctx); const found = await super.find(ctx); return found; },\n async create(ctx) { ctx.query = {}; }',
      {},
    ],
  ])('%s', (methods, expected) => {
    const { routes, findings } = proposeRoutes(project(controller(methods)));
    expect([routes[plants] ?? {}, findings]).toEqual([expected, []]);
  });

  test.each([
    [
      'async find(ctx) { return strapi.documents("x").findMany(); }',
      'replaces the action find; use a custom route or a query hook',
    ],
    [
      'async find(ctx) { const { data, meta } = await super.find(ctx); meta.date = 1; return { data, meta }; }',
      'changes the reply of find; use a custom route',
    ],
    [
      'async find(ctx) { const { data } = await super.find(ctx); return data; }',
      'changes the reply of find; use a custom route',
    ],
    ['find: wrapped(find)', 'defines the action find in a way that is not recognised'],
    ['...actions', 'spreads actions that are not recognised'],
  ])('lists %s', (methods, what) => {
    const { routes, findings } = proposeRoutes(project(controller(methods)));
    expect([routes, lines(findings)]).toEqual([{}, [`src/api/plant/controllers/plant.ts:3: ${what}`]]);
  });

  test('applies after the middlewares', () => {
    const { find } = proposed(
      withBody("ctx.query.populate = 'pots'; ctx.query.sort ||= 'a';"),
      controller("find(ctx) { ctx.query.sort = 'b'; return super.find(ctx); }"),
    );
    expect(find).toEqual({ set: { populate: 'pots', sort: 'b' } });
  });
});

test('written-out routes are core routes at their path, otherwise custom routes', () => {
  const files = {
    'api/plant/content-types/plant/schema.json': JSON.stringify({
      info: { singularName: 'plant', pluralName: 'plants' },
    }),
    'api/plant/middlewares/fill.ts': withBody("ctx.query.populate = 'pots';"),
    'api/plant/routes/plant.ts': `export default { routes: [
  { method: 'GET', path: '/plants', handler: 'plant.find', config: { middlewares: ['api::plant.fill'] } },
  { method: 'GET', path: '/plants/:id', handler: '${plants}.findOne', config: { middlewares: ['api::plant.fill'] } },
  { method: 'GET', path: '/plants/by-slug/:slug', handler: 'plant.bySlug' },
  { method: 'POST', path: '/plants', handler: 'plant.create' },
  { method: verb(), path: '/x' },
] };`,
  };
  const { routes, findings } = proposeRoutes(project(files));
  expect(routes).toEqual({ [plants]: { find: { set: { populate: 'pots' } }, findOne: { set: { populate: 'pots' } } } });
  expect(lines(findings)).toEqual([
    'src/api/plant/routes/plant.ts:4: defines GET /plants/by-slug/:slug; use a custom route',
    'src/api/plant/routes/plant.ts:6: defines a route in a way that is not recognised',
  ]);
});

test('a schema that is not JSON is listed', () => {
  const { routes, findings } = proposeRoutes(project({ 'api/plant/content-types/plant/schema.json': '{' }));
  expect(routes).toEqual({});
  expect(lines(findings)).toEqual([
    expect.stringMatching(/^src\/api\/plant\/content-types\/plant\/schema\.json:1: is not JSON: /),
  ]);
});

test('other code that may change queries is listed', () => {
  const files = {
    'api/plant/routes/plant.ts': `export default createCoreRouter('${plants}', {
  prefix: '/garden',
  only: ['find'],
  config: { find: {
    policies: ['global::mine'],
    middlewares: ['plugin::x.fill', names[0], ...more],
  } },
});`,
    'policies/mine.ts': 'export default (ctx) => { ctx.query.filters = { mine: true }; return true; };',
    'middlewares/everywhere.ts':
      'export default () => async (ctx, next) => { ctx.query.populate = deep(ctx); await next(); };',
    '/config/middlewares.ts': "export default [\n  'strapi::errors',\n  'global::everywhere',\n];",
    'index.ts':
      'export default {\n  register({ strapi }) {\n    strapi.documents.use(async (ctx, next) => next());\n  },\n};',
    'document-middlewares/fill.ts': 'export const fill = (strapi) => strapi.documents.use(deep);',
    'admin/app.ts': 'strapi.documents.use(nothing);',
    'extensions/users-permissions/strapi-server.ts': 'export default (plugin) => plugin;',
  };
  const { routes, findings } = proposeRoutes(project(files));
  expect(routes).toEqual({});
  expect(lines(findings)).toEqual([
    'config/middlewares.ts:3: global::everywhere (src/middlewares/everywhere.ts) changes every query; add its parameters where they are needed',
    'src/api/plant/routes/plant.ts:2: adds a prefix to the routes of the type; Lectern does not',
    'src/api/plant/routes/plant.ts:3: disables routes (only); Lectern serves what permissions allow',
    `src/api/plant/routes/plant.ts:5: applies the policy global::mine to ${plants}.find; Lectern only checks permissions`,
    'src/api/plant/routes/plant.ts:6: uses the middleware plugin::x.fill, which is not in the project',
    `src/api/plant/routes/plant.ts:6: names a middleware of ${plants}.find with a value that is not constant`,
    'src/document-middlewares/fill.ts:1: registers a document middleware, which may change any query',
    'src/extensions/users-permissions/strapi-server.ts:1: extends a plugin, which may change its routes',
    'src/index.ts:3: registers a document middleware, which may change any query',
    'src/policies/mine.ts:1: changes the query in a policy',
  ]);
});

test('the command prints settings on stdout, and places to review on stderr', () => {
  const output = vi.spyOn(console, 'log').mockImplementation(() => {});
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
  const files = {
    'api/plant/routes/plant.ts': router,
    'api/plant/middlewares/fill.ts': withBody("ctx.query.sort = 'a'; enrich(ctx);"),
  };
  routes(project(files));
  expect(JSON.parse(output.mock.calls.join())).toEqual({ routes: { [plants]: { find: { set: { sort: 'a' } } } } });
  expect(errors.mock.calls.flat()).toEqual([
    'src/api/plant/middlewares/fill.ts:5: changes the query in a way that is not recognised',
    '1 route of 1 content type proposed; 1 place to review',
  ]);
  vi.restoreAllMocks();
  expect(() => routes(join(folder, 'nosuch'))).toThrow('has no folder src/api');
});
