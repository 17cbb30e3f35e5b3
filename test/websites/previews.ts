/**
 * Runs the example of docs/previews.md: builds the Next.js site of deploy/preview-next over Lectern, and checks what
 * visitors and editors see. It installs the site's packages the first time, which takes 300 MB.
 *
 *     npm run test:previews -- [--folder F]
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run, start } from '../strapi/processes.ts';
import { builtCli as cli, freePort } from '../support/cli.ts';

const { values: options } = parseArgs({
  options: {
    /** Where the site is installed; kept for the next run. */
    folder: { type: 'string', default: join(tmpdir(), 'lectern-previews') },
  },
});
const site = resolve(options.folder);
const scratch = mkdtempSync(join(tmpdir(), 'lectern-preview-contents-'));
const uid = 'api::article.article';
const article = { documentId: 'hello', slug: 'hello', title: 'Hello', text: 'What is published.' };
const [port, adminPort, sitePort] = [await freePort(), await freePort(), await freePort()];
const lecternUrl = `http://127.0.0.1:${port}`;
const siteUrl = `http://127.0.0.1:${sitePort}`;
let failed = 0;

const lectern = startLectern();
await lectern.ready(async () => (await fetch(`http://127.0.0.1:${adminPort}/_ready`)).ok);
await install();
const environment = {
  LECTERN_URL: lecternUrl,
  PREVIEW_TOKEN: 'a-token-of-previews',
  PREVIEW_SECRET: 'a-secret-of-editors',
  NEXT_TELEMETRY_DISABLED: '1',
};
const next = (...args: string[]) => ({
  program: process.execPath,
  args: [join(site, 'node_modules/next/dist/bin/next'), ...args],
  cwd: site,
  log: join(site, `${args[0]}.log`),
  environment,
});
await run(next('build'));
const front = start(next('start', '-H', '127.0.0.1', '-p', String(sitePort)));
await front.ready(async () => (await fetch(siteUrl)).ok);
await checkSite();
await front.stop();
await lectern.stop();
rmSync(scratch, { recursive: true });
console.log(failed === 0 ? 'passed' : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function checkSite(): Promise<void> {
  const edited = { ...article, title: 'Hello again', text: 'What an editor writes.' };
  const added = { documentId: 'soon', slug: 'soon', title: 'Coming soon', text: 'Not published yet.' };
  const put = (changes: object[]) =>
    admin('PUT', '/_contents/spring', { base: 'main', token: environment.PREVIEW_TOKEN, lifetime: 3600, changes });
  const changes = [edited, added].map((entry) => ({ upsert: uid, entry }));
  check('the preview is put', (await put(changes)).status === 201);
  check(
    'Lectern shows it to nobody without the token',
    (await fetch(`${lecternUrl}/spring/api/articles`)).status === 403,
  );

  const visitor = (path: string) => pageOf(path, '');
  check('visitors see what is published', (await visitor('/articles/hello')).includes('What is published.'));
  check('visitors do not see the new article', (await fetch(`${siteUrl}/articles/soon`)).status === 404);

  const open = (query: string) => fetch(`${siteUrl}/api/preview?${query}`, { redirect: 'manual' });
  check('a wrong secret opens nothing', (await open('secret=x&preview=spring')).status === 401);
  const secret = encodeURIComponent(environment.PREVIEW_SECRET);
  const elsewhere = await open(`secret=${secret}&preview=spring&path=//example.org`);
  check('the address leads to no other site', elsewhere.headers.get('location') === '/');
  const opened = await open(`secret=${secret}&preview=spring&path=/articles/hello`);
  check('the address of the editor leads to the page', opened.headers.get('location') === '/articles/hello');
  const cookies = opened.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
  const editor = (path: string) => pageOf(path, cookies.join('; '));
  check('the editor sees the change', (await editor('/articles/hello')).includes('What an editor writes.'));
  check('the editor sees the name of the preview', (await editor('/')).includes('spring'));
  check('the editor sees the new article', (await editor('/articles/soon')).includes('Not published yet.'));

  const later = { ...edited, text: 'What an editor writes later.' };
  await admin('POST', '/_changes?content=spring', { changes: [{ upsert: uid, entry: later }] });
  check('the editor sees each change at once', (await editor('/articles/hello')).includes('writes later.'));
  check('visitors still see what is published', (await visitor('/articles/hello')).includes('What is published.'));
  const again = await pageOf('/articles/hello', cookies.filter((cookie) => cookie.startsWith('preview=')).join());
  check('the name of a preview alone shows nothing', again.includes('What is published.'));
}

async function pageOf(path: string, cookie: string): Promise<string> {
  return (await fetch(siteUrl + path, { headers: { cookie } })).text();
}

function admin(method: string, path: string, body: object): Promise<Response> {
  const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };
  return fetch(`http://127.0.0.1:${adminPort}${path}`, { method, headers, body: JSON.stringify(body) });
}

function check(what: string, holds: boolean): void {
  if (!holds) failed++;
  console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}`);
}

/** Serves a snapshot with one article, which the public may read. */
function startLectern() {
  const text = { type: 'string' };
  const info = { singularName: 'article', pluralName: 'articles' };
  const permissions = ['find', 'findOne'].map((action) => `${uid}.${action}`);
  const snapshot = {
    contentTypes: [{ info, attributes: { slug: text, title: text, text } }],
    entries: { article: [article] },
    roles: [{ type: 'public', permissions }],
  };
  const contents = join(scratch, 'contents');
  mkdirSync(contents);
  const path = join(scratch, 'content.json');
  writeFileSync(path, JSON.stringify(snapshot));
  const sha256 = createHash('sha256').update('admin').digest('hex');
  const settings = {
    port,
    adminPort,
    admin: { tokens: [{ name: 'editor', sha256, rights: ['contents', 'changes'] }] },
    contents: { folder: contents },
  };
  const config = join(scratch, 'lectern.json');
  writeFileSync(config, JSON.stringify(settings));
  const args = [cli, 'serve', path, '--config', config];
  return start({ program: process.execPath, args, cwd: scratch, log: join(scratch, 'lectern.log') });
}

/** Copies the site out of the repository, and installs its packages. */
async function install(): Promise<void> {
  cpSync(fileURLToPath(new URL('../../deploy/preview-next', import.meta.url)), site, { recursive: true });
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run({ program: 'npm', args, cwd: site, log: join(site, 'install.log') });
}
