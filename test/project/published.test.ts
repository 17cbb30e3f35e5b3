import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';

/** The package as users get it: packed from the sources and used by another project. */

const project = join(import.meta.dirname, '../..');
const folder = temporaryFolder();

const sources = [
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts', 'src', 'data/schemas', 'data/starter'],
  ...['README.md', 'LICENSE'],
];
/** What `npm pack` says of the archive. */
let packed: { filename: string; size: number; files: { path: string }[] };
const installed = join(folder, 'consumer/node_modules/lectern');
const read = (file: string) => readFileSync(join(installed, file), 'utf8');

/** A module of a user. It names everything that the package exports. */
const userModule = `
import express from 'express';
import {
  ConfigError,
  type Content,
  type ContentSummary,
  type Explanation,
  type Found,
  type JsonSnapshot,
  type OpenOptions,
  open,
  type Query,
  type Reply,
  RequestError,
  type RoleDefinition,
  SnapshotError,
  type TokenDefinition,
} from 'lectern';

export async function use(source: string | JsonSnapshot): Promise<Found> {
  const role: RoleDefinition = { type: 'public', permissions: ['api::note.note.find'] };
  const tokens: TokenDefinition[] = [];
  const options: OpenOptions = { dialect: 'strapi', roles: [role], tokens };
  const content: Content = await open(source, options);
  const query: Query = { filters: { title: { $eq: 'a' } }, sort: 'title' };
  const reply: Reply = await content.answer('/api/notes');
  const summary: ContentSummary = content.summary;
  const explanation: Explanation = content.explain('/api/notes');
  const app = express();
  app.use('/api', content.router());
  app.use('/uploads', content.uploads());
  if (reply.status !== 200 || summary.types.length === 0 || explanation.bytes === 0) return { data: null, meta: null };
  return content.find('notes', query);
}

export function describe(error: unknown): string {
  if (error instanceof RequestError) return error.name;
  if (error instanceof SnapshotError) return error.problems.join();
  if (error instanceof ConfigError) return error.message;
  return '';
}

// @ts-expect-error an unknown option, to show that the types are found
export const mistyped: OpenOptions = { nonsense: true };
`;

/** A clone without dist/. */
function clone(name: string): string {
  const path = join(folder, name);
  for (const source of sources) cpSync(join(project, source), join(path, source), { recursive: true });
  return path;
}

function link(name: string, modules: string): void {
  const at = join(modules, name);
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(join(project, 'node_modules', name), at);
}

/** The paths of an export, by condition. */
function pathsIn(target: unknown): string[] {
  return typeof target === 'string' ? [target] : Object.values(target as object).flatMap(pathsIn);
}

function run(args: string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

beforeAll(() => {
  const cloned = clone('packed');
  symlinkSync(join(project, 'node_modules'), join(cloned, 'node_modules'));
  [packed] = JSON.parse(execFileSync('npm', ['pack', '--silent', '--json'], { cwd: cloned, encoding: 'utf8' }));
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['xzf', join(cloned, packed.filename), '-C', installed, '--strip-components=1']);
  // what npm would install: its dependencies, and the types that the project installs itself
  const { dependencies } = JSON.parse(read('package.json'));
  for (const name of [...Object.keys(dependencies), '@types/node', '@types/express']) link(name, dirname(installed));
}, 120_000);

/** A module of a website. */
const siteModule = `
import { lecternLoader } from 'lectern/astro';
import { createClient } from 'lectern/client';
import * as cloudflare from 'lectern/cloudflare';
import * as fastly from 'lectern/fastly';
import { createStaleHandler, createTaggedFetch } from 'lectern/next';
import * as nuxt from 'lectern/nuxt';

const secret = 'at least 16 characters';
const client = createClient<never>({ url: 'http://127.0.0.1/api', fetch: createTaggedFetch({ cacheTag() {} }) });
const cdns = [
  cloudflare.createPurgeHandler({ secret, zone: '', token: '' }),
  fastly.createPurgeHandler({ secret, service: '', token: '' }),
];
export const POST: (request: Request) => Promise<Response> = createStaleHandler({ secret, revalidateTag() {} });
console.log(typeof client.find, cdns.length, typeof lecternLoader, typeof nuxt.createTaggedFetch);

// @ts-expect-error without a secret, to show that the types are found
createStaleHandler({ revalidateTag() {} });
`;

describe('npm pack', () => {
  test('builds a fresh clone and packs every file that package.json names', () => {
    const { main, types, bin, exports } = JSON.parse(read('package.json'));
    const paths = [main, types, ...Object.values(bin), ...Object.values(exports).flatMap(pathsIn)];
    expect(paths.length).toBeGreaterThanOrEqual(19);
    expect(paths.filter((path) => !existsSync(join(installed, path)))).toEqual([]);
    expect(existsSync(join(installed, 'data/schemas/config.schema.json'))).toBe(true);
    expect(existsSync(join(installed, 'src'))).toBe(false);
    for (const page of ['admin', 'explorer']) {
      expect(readdirSync(join(installed, 'dist', page)).sort()).toEqual([`${page}.css`, `${page}.js`, 'index.html']);
    }
  });

  test('packs nothing else: 1.5 MB at most', () => {
    expect(packed.size).toBeLessThan(1_500_000);
    const others = packed.files
      .map(({ path }) => path)
      .filter((path) => !/^dist\/.*\.(js|d\.ts)$|^data\/(schemas|starter)\/.*\.json$/.test(path));
    const pages = ['admin', 'explorer'].flatMap((page) => [`dist/${page}/${page}.css`, `dist/${page}/index.html`]);
    expect(others.sort()).toEqual(['LICENSE', 'README.md', ...pages, 'dist/index.d.cts', 'package.json'].sort());
  });

  test('says where it comes from, and pulls in no install script', () => {
    const { repository, publishConfig, license, scripts } = JSON.parse(read('package.json'));
    expect(repository.url).toMatch(/^git\+https:.*\.git$/);
    expect(publishConfig.access).toBe('public');
    expect(license).toBe('MIT');
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
    const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
    const needed = Object.entries<{ dev?: boolean; hasInstallScript?: boolean }>(packages).filter(
      ([, { dev }]) => !dev,
    );
    expect(needed.length).toBeGreaterThan(50);
    expect(needed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
  });

  test('provides a command that accepts "." as the folder', () => {
    const snapshot = join(folder, 'snapshot');
    mkdirSync(join(snapshot, 'content-types'), { recursive: true });
    const type = { info: { singularName: 'note', pluralName: 'notes' }, attributes: { title: { type: 'string' } } };
    writeFileSync(join(snapshot, 'content-types/note.json'), JSON.stringify(type));
    const { status, stdout } = run([join(installed, 'dist/cli.js'), 'check', '.'], snapshot);
    expect(stdout).toMatch('api::note.note');
    expect(status).toBe(0);
  });
});

describe('the prepare script', () => {
  test('succeeds without dev dependencies and reports that nothing was built', () => {
    const bare = clone('bare');
    const { status, stderr } = run(['scripts/prepare.js'], bare);
    expect(stderr).toMatch(/dist\/ is not built.*TypeScript/);
    expect(status).toBe(0);
    expect(existsSync(join(bare, 'dist'))).toBe(false);
  });

  test('succeeds with package.json alone, as in the first layer of an image', () => {
    const path = join(folder, 'manifest');
    mkdirSync(path);
    cpSync(join(project, 'package.json'), join(path, 'package.json'));
    expect(execFileSync('npm', ['run', '--silent', 'prepare'], { cwd: path, encoding: 'utf8' })).toBe('');
  });
});

describe('a project that uses the package', () => {
  test.each([
    [
      'an ES module',
      ['--input-type=module', '-e', "import * as lectern from 'lectern'; console.log(typeof lectern.open)"],
    ],
    ['CommonJS', ['-e', "console.log(typeof require('lectern').open)"]],
  ])('imports the functions from %s', (_, args) => {
    const { stdout, stderr } = run(['--no-warnings', ...args], join(folder, 'consumer'));
    expect(stderr).toBe('');
    expect(stdout).toBe('function\n');
  });

  test('finds the client and the adapters, which need no other package', () => {
    const bare = join(folder, 'bare-consumer');
    cpSync(installed, join(bare, 'node_modules/lectern'), { recursive: true });
    link('@types/node', join(bare, 'node_modules'));
    writeFileSync(join(bare, 'site.mts'), siteModule);
    const compiler = join(project, 'node_modules/typescript/bin/tsc');
    const settings = [
      '--strict',
      '--skipLibCheck',
      'false',
      '--target',
      'es2022',
      '--module',
      'node16',
      '--types',
      'node',
    ];
    expect(run([compiler, ...settings, 'site.mts'], bare)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(run(['site.mjs'], bare).stdout).toBe('function 2 function function\n');
  });

  test('compiles as an ES module and as CommonJS without skipLibCheck', () => {
    const consumer = join(folder, 'consumer');
    writeFileSync(join(consumer, 'module.mts'), userModule);
    const commonJs = userModule.replace("import express from 'express'", "import express = require('express')");
    writeFileSync(join(consumer, 'commonjs.cts'), commonJs);
    const compiler = join(project, 'node_modules/typescript/bin/tsc');
    // the strictest mode: newer ones let CommonJS import an ES module
    const settings = ['--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'node16'];
    const { status, stdout } = run([compiler, '--noEmit', ...settings, 'module.mts', 'commonjs.cts'], consumer);
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  test('sees the same names from CommonJS as from an ES module', () => {
    const names = (file: string) => {
      const text = read(file);
      const declared = text.matchAll(/^export declare (?:const|function) (\w+)/gm);
      const listed = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
      const found = [...declared, ...listed].flatMap(([, list]) => list.split(','));
      // a function with overloads is declared once for each
      return [...new Set(found.map((name) => name.trim()))].filter((name) => name !== '').sort();
    };
    expect(names('dist/index.d.cts')).toEqual(names('dist/index.d.ts'));
    expect(names('dist/index.d.ts')).toContain('open');
  });
});
