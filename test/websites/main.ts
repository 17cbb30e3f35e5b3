/**
 * Runs real websites and Gatsby's source plugin against a Strapi and against Lectern over that Strapi's export, and
 * compares what they show. It takes some twenty minutes and 3 GB of disk the first time.
 *
 *     npm run test:fronts -- [--folder F] [--strapi DIR] [--repositories DIR] [--front NAME]…
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileSqlite, installStrapi } from '../strapi/installed.ts';
import { type Running, run, start } from '../strapi/processes.ts';
import { freePort } from '../support/cli.ts';
import { gatsbyNodes, type Node, textOf } from './gatsby.ts';
import { launchpad } from './launchpad.ts';
import { type Page, readPage } from './pages.ts';
import { type StrapiProject, writeProject } from './strapi-project.ts';
import { tanstack } from './tanstack.ts';
import type { Website } from './website.ts';

const websites: readonly Website[] = [tanstack, launchpad];

const { values: options } = parseArgs({
  options: {
    /** Where everything is installed; kept for the next run. */
    folder: { type: 'string', default: join(tmpdir(), 'lectern-fronts') },
    /** A folder in which Strapi and better-sqlite3 are installed; by default they are installed below `folder`. */
    strapi: { type: 'string' },
    /** Where repositories are cloned from: a folder with one folder each, called owner+name. */
    repositories: { type: 'string', default: '' },
    front: { type: 'string', multiple: true, default: websites.map(({ name }) => name) },
  },
});
const folder = resolve(options.folder);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const token = createHash('sha256').update('the token of the comparison').digest('hex');
const differences: string[] = [];
let compared = 0;

mkdirSync(folder, { recursive: true });
const strapiFolder = resolve(options.strapi ?? join(folder, 'strapi'));
if (options.strapi === undefined) {
  await installStrapi(strapiFolder);
  await compileSqlite(strapiFolder);
}
const clientModules = await installClients(join(folder, 'clients'));
for (const front of websites.filter(({ name }) => options.front.includes(name))) await compareWebsite(front);
for (const difference of differences) console.log(`DIFFERS ${difference}`);
console.log(`${compared - differences.length} passed, ${differences.length} failed`);
process.exit(compared > 0 && differences.length === 0 ? 0 : 1);

async function compareWebsite(front: Website): Promise<void> {
  const checkout = await clone(front);
  const client = join(checkout, front.client);
  await installClient(front, client);
  console.log(`${front.name}: filling Strapi`);
  const server = join(checkout, front.server);
  const target = join(folder, `${front.name}-strapi`);
  const project = await writeProject(server, target, strapiFolder, clientModules);
  await front.fill(project, checkout);
  await addToken(project);
  await project.command('export', '--no-encrypt', '-f', 'export');

  const strapi = await project.start();
  const pages = await front.pages(strapi.address);
  const expected = await readSite(front, client, strapi.address, pages);
  const expectedNodes = await gatsbyNodes(strapi.address, token, clientModules);
  await strapi.stop();

  const lectern = await startLectern(front, server, join(project.folder, 'export.tar.gz'));
  const actual = await readSite(front, client, lectern.address, pages);
  const actualNodes = await gatsbyNodes(lectern.address, token, clientModules).catch((error: Error) => {
    check(`${front.name}: ${error.message}`, false);
    return new Map();
  });
  await lectern.stop();

  for (const path of pages) comparePage(`${front.name} ${path}`, front, expected.get(path)!, actual.get(path)!);
  compareNodes(front.name, expectedNodes, actualNodes);
}

/** Clones a repository, unless that has been done before. */
async function clone({ name, repository, server, client, seed }: Website): Promise<string> {
  const checkout = join(folder, name);
  if (existsSync(join(checkout, client, 'package.json'))) return checkout;
  const source = options.repositories
    ? join(resolve(options.repositories), repository.replace('/', '+'), 'repo')
    : `https://github.com/${repository}.git`;
  const log = join(folder, `${name}-clone.log`);
  const git = (...args: string[]) => run({ program: 'git', args, cwd: folder, log });
  rmSync(checkout, { recursive: true, force: true });
  await git('clone', '--no-checkout', source, checkout);
  // large files beside these folders may be kept elsewhere
  const paths = [server, client, ...(seed ? [seed] : []), `:(exclude)${server}/data`];
  await git('-C', checkout, 'checkout', 'HEAD', '--', ...paths);
  return checkout;
}

async function installClient(front: Website, client: string): Promise<void> {
  const mark = join(client, 'node_modules', '.installed');
  if (!existsSync(mark)) {
    console.log(`${front.name}: installing the website`);
    const args = ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run({ program: 'npm', args, cwd: client, log: join(folder, `${front.name}-install.log`) });
    writeFileSync(mark, '');
  }
  front.prepare?.(client);
}

async function installClients(target: string): Promise<string> {
  const wanted = readFileSync(new URL('clients/package.json', import.meta.url), 'utf8');
  const mark = join(target, 'installed.json');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'package.json'), wanted);
    const args = ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run({ program: 'npm', args, cwd: target, log: join(target, 'install.log') });
    writeFileSync(mark, wanted);
  }
  return join(target, 'node_modules');
}

/** Gives Strapi an API token with full access, as its administrator would. */
async function addToken({ folder: project }: StrapiProject): Promise<void> {
  const script = `
    const { createStrapi } = require('@strapi/strapi');
    const { createHmac } = require('node:crypto');
    createStrapi({ appDir: process.cwd(), distDir: process.cwd() }).load().then(async (strapi) => {
      const salt = strapi.config.get('admin.apiToken.salt');
      const accessKey = createHmac('sha512', salt).update(${JSON.stringify(token)}).digest('hex');
      const data = { name: 'comparison', type: 'full-access', kind: 'content-api', accessKey, lifespan: null };
      await strapi.db.query('admin::api-token').create({ data });
      process.exit(0);
    });`;
  const log = join(project, 'token.log');
  await run({ program: process.execPath, args: ['-e', script], cwd: project, log });
}

/** Lectern over the export, with the settings that it proposes for the project's own code. */
async function startLectern(front: Website, project: string, archive: string): Promise<Running & { address: string }> {
  const cli = join(repository, 'dist', 'cli.js');
  const config = join(folder, `${front.name}-lectern.json`);
  const proposed = JSON.parse(execFileSync(process.execPath, [cli, 'routes', project], { encoding: 'utf8' }));
  const sha256 = createHash('sha256').update(token).digest('hex');
  const tokens = [{ name: 'comparison', sha256, type: 'full-access' }];
  writeFileSync(config, JSON.stringify({ ...proposed, tokens }, null, 2));
  const port = await freePort();
  const args = [cli, 'serve', archive, '--port', String(port), '--config', config];
  const server = start({
    program: process.execPath,
    args,
    cwd: folder,
    log: join(folder, `${front.name}-lectern.log`),
  });
  const address = `http://127.0.0.1:${port}`;
  await server.ready(async () => (await fetch(`${address}/_ready`)).ok);
  return { ...server, address };
}

async function readSite(front: Website, client: string, api: string, pages: string[]): Promise<Map<string, Page>> {
  for (const cache of ['.next', 'node_modules/.vite']) rmSync(join(client, cache), { recursive: true, force: true });
  const port = await freePort();
  const { args, environment } = front.command(port, api);
  const log = join(folder, `${front.name}-site.log`);
  // the program itself and not npx, which does not pass signals on
  const [name, ...rest] = args;
  const program = join(client, 'node_modules', '.bin', name);
  const site = start({ program, args: rest, cwd: client, log, environment });
  const address = `http://127.0.0.1:${port}`;
  // asking for a page would start to compile it, again and again
  await site.ready(() => accepts(port));
  const read = new Map<string, Page>();
  for (const path of pages) {
    const page = await readPage(address, path, api, clientModules);
    const pictures = Object.keys(page.pictures).length;
    console.log(`${front.name} ${path}: ${page.status}, ${page.text.length} characters, ${pictures} pictures`);
    read.set(path, page);
  }
  await site.stop();
  return read;
}

/** Whether a server listens on a port. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.unref().end();
  });
}

function comparePage(name: string, { failures }: Website, expected: Page, actual: Page): void {
  const failed = failures.find((text) => expected.text.includes(text));
  check(`${name}: the page fails with Strapi, too`, expected.status < 400 && failed === undefined);
  check(`${name}: status ${actual.status} for ${expected.status}`, actual.status === expected.status);
  check(`${name}: ${firstDifference(expected.text, actual.text)}`, actual.text === expected.text);
  check(`${name}: title ${actual.title} for ${expected.title}`, actual.title === expected.title);
  const pictures = JSON.stringify(actual.pictures);
  check(`${name}: pictures ${pictures}`, pictures === JSON.stringify(expected.pictures));
}

function compareNodes(name: string, expected: Map<string, Node>, actual: Map<string, Node>): void {
  check(`${name}: Gatsby gets no nodes`, expected.size > 0);
  check(`${name}: Gatsby gets ${actual.size} nodes for ${expected.size}`, actual.size === expected.size);
  for (const [id, node] of expected) {
    const [wanted, got] = [textOf(node), textOf(actual.get(id))];
    check(`${name}: Gatsby's node ${id}: ${firstDifference(wanted, got)}`, wanted === got);
  }
}

function check(difference: string, holds: boolean): void {
  compared++;
  if (!holds) differences.push(difference);
}

function firstDifference(expected: string, actual: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at++;
  const part = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  return `${part(actual)} for ${part(expected)}`;
}
