/**
 * Runs the first part of docs/previews.md from an empty folder: Lectern, a preview, the Next.js site of
 * deploy/preview-next, and the addresses that Strapi's "Preview" button gets. It installs the site's packages, which takes
 * 350 MB.
 *
 * With `--strapi`, a project that the command of the page has made, it also starts that Strapi, and asks it.
 *
 *     npm run test:previews -- [--strapi FOLDER]
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'dotenv';
import { Checks } from '../frameworks/checks.ts';
import { unpackProject } from '../load/project/recorded-projects.ts';
import { PreviewWalk } from '../support/preview-walk.ts';
import { documentsOf } from '../support/strapi-documents.ts';
import { showInFrame } from './preview-frame.ts';
import { checkStrapiProject } from './preview-strapi.ts';

const { values: options } = parseArgs({ options: { strapi: { type: 'string' } } });
const uid = 'api::article.article';
const folder = mkdtempSync(join(tmpdir(), 'lectern-previews-'));
const walk = await PreviewWalk.begin(folder, { 'EDITOR_ORIGIN=http://localhost': 'EDITOR_ORIGIN=http://127.0.0.1' });
const site = walk.adapt('http://localhost:3000');
const lectern = walk.adapt('http://127.0.0.1:1338');
/** Another site than localhost, so that cookies of the site have to reach a frame of another site. */
const editor = new URL(walk.adapt('http://127.0.0.1:1337'));
const checks = new Checks();

try {
  await runWalk();
} finally {
  await walk.end();
  rmSync(folder, { recursive: true });
}
console.log(`${checks.passed} passed, ${checks.failed} failed`);
process.exit(checks.passed > 0 && checks.failed === 0 ? 0 : 1);

async function runWalk(): Promise<void> {
  for (const step of [1, 2, 3]) await walk.run(step);
  await walk.run(4);
  const started = Date.now();
  const printed = await walk.run(5, ['-X DELETE']);
  console.log(`The site was installed, built and started in ${Math.round((Date.now() - started) / 1000)} s`);
  const output = printed.find(({ expected }) => expected !== null)!;
  checks.equal('the page of an editor shows a patch, that of a visitor does not', output.lines, output.expected);
  const secrets = secretsOf('secrets.env');
  const [address] = printed.flatMap(({ lines }) => lines).filter((line) => line.includes('/api/preview?'));
  await checkEditor(address);
  await checkFrame(address);
  await checkRefusals(secrets.PREVIEW_SECRET);
  await walk.run(5, ['npm ci', 'echo', 'cookies.txt']);
  await checkEnded(address);

  if (options.strapi) return checkStrapiProject(walk, resolve(options.strapi), headingAt, checks);
  cpSync(unpackProject('magazine'), join(walk.folder, 'my-strapi'), { recursive: true });
  await walk.run(6, ['create-strapi', 'run develop']);
  await checkStrapi();
}

/** What an editor and a visitor see while a tool changes a preview. */
async function checkEditor(address: string): Promise<void> {
  const cookie = await cookiesFrom(address);
  const added = { documentId: 'soon', slug: 'soon', title: 'Coming soon', body: 'Not published yet.' };
  await change({ upsert: uid, entry: added });
  await change({ patch: uid, documentId: 'hello', set: { body: 'What an editor writes.' } });
  checks.holds('the editor sees each change', (await pageOf('/articles/hello', cookie)).includes('an editor writes.'));
  checks.holds('the editor sees the name of the preview', (await pageOf('/', cookie)).includes('spring'));
  checks.holds(
    'the editor sees a new article',
    (await pageOf('/articles/soon', cookie)).includes('Not published yet.'),
  );
  checks.equal('visitors do not', (await fetch(`${site}/articles/soon`)).status, 404);
  checks.equal('Lectern asks for a token', (await fetch(`${lectern}/spring/api/articles`)).status, 403);
  const nameOnly = cookie.split('; ').find((part) => part.startsWith('preview='))!;
  const again = await pageOf('/articles/hello', nameOnly);
  checks.holds('the name of a preview alone shows nothing', !again.includes('an editor writes.'));
  const left = await cookiesFrom(`${site}/api/preview`, cookie);
  checks.equal('leaving the preview ends it', left, '__prerender_bypass=; preview=');
}

/** In a frame of the editor's tool, in a browser. */
async function checkFrame(address: string): Promise<void> {
  const title = 'Hello, autumn';
  const seen = await showInFrame(address, Number(editor.port), async () => {
    await change({ patch: uid, documentId: 'hello', set: { title } });
    return title;
  });
  const expected = { opened: 'Hello, summer', saved: title, elsewhere: false };
  checks.equal("a frame of the editor's tool shows the preview and each save, and no other frame does", seen, expected);
}

/** Changes the preview "spring". */
async function change(change: object): Promise<void> {
  const { ADMIN_TOKEN } = secretsOf('secrets.env');
  const response = await fetch(walk.adapt('http://127.0.0.1:1339/_changes?content=spring'), {
    method: 'POST',
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ changes: [change] }),
  });
  if (!response.ok) throw new Error(`The change was answered with ${response.status}: ${await response.text()}`);
}

/** What opens no preview, and leads to no other site. */
async function checkRefusals(secret: string): Promise<void> {
  const open = (query: Record<string, string>) =>
    fetch(`${site}/api/preview?${new URLSearchParams(query)}`, { redirect: 'manual' });
  for (const wrong of ['', 'x', `${secret}x`, secret.toUpperCase(), 'undefined']) {
    checks.equal(
      `the secret "${wrong.slice(0, 9)}" opens nothing`,
      (await open({ secret: wrong, preview: 'spring' })).status,
      401,
    );
  }
  checks.equal('no secret opens nothing', (await open({ preview: 'spring' })).status, 401);
  checks.equal('"../main" is no preview', (await open({ secret, preview: '../main' })).status, 401);
  const elsewhere = [
    '//a.example',
    '/\\a.example',
    '/\t/a.example',
    '/.//a.example',
    'https://a.example',
    '\\\\a.example',
    'x:y',
  ];
  for (const path of elsewhere) {
    const location = (await open({ secret, preview: 'spring', path })).headers.get('location') ?? '';
    const { origin } = new URL(location, site);
    checks.equal(`the path ${JSON.stringify(path)} stays in the site`, [origin, location[0]], [site, '/']);
  }
  const { headers } = await fetch(site);
  const policy = `frame-ancestors 'self' ${editor.origin}`;
  checks.equal('Strapi may show the site in a frame', headers.get('content-security-policy'), policy);
}

/** After the preview has been deleted. */
async function checkEnded(address: string): Promise<void> {
  const cookie = await cookiesFrom(address);
  const text = await pageOf('/articles/hello', cookie);
  checks.holds('a preview that has ended says so', text.includes('The preview cannot be shown'));
  checks.holds('and can be left', text.includes('href="/api/preview"'));
}

/** The addresses that Strapi gets lead to the drafts and to what is published. */
async function checkStrapi(): Promise<void> {
  const environment = secretsOf('my-strapi/.env');
  for (const handler of await walk.handlers(environment, documentsOf(lectern))) {
    const titleAt = async (entry: Parameters<typeof handler>[1]) => {
      const address = await handler(uid, entry);
      return address && headingAt(address);
    };
    const documentId = 'cfl7xac0sedu4qu5e1d3mi62';
    const titles = [
      await titleAt({ documentId, locale: 'de', status: 'draft' }),
      await titleAt({ documentId, locale: 'de', status: 'published' }),
      await titleAt({ documentId, locale: 'en', status: 'draft' }),
      await titleAt({ documentId, locale: 'en', status: 'published' }),
    ];
    checks.equal('the addresses for Strapi lead to the draft and to the published version', titles, [
      'niello',
      'vase',
      'Öl',
      null,
    ]);
  }
}

/** The heading of the page that an address leads an editor to. */
async function headingAt(address: string): Promise<string | null> {
  const { headers } = await fetch(address, { redirect: 'manual' });
  const text = await pageOf(headers.get('location')!, await cookiesFrom(address));
  return /<h1>(.*?)<\/h1>/.exec(text)?.[1].replaceAll('&#x27;', "'") ?? null;
}

function secretsOf(file: string): Record<string, string> {
  return parse(readFileSync(join(walk.folder, file)));
}

/** The cookies that an address sets, as a request sends them. */
async function cookiesFrom(address: string, cookie = ''): Promise<string> {
  const { headers } = await fetch(address, { redirect: 'manual', headers: { cookie } });
  const cookies = headers.getSetCookie();
  for (const each of cookies) {
    if (
      !/; Secure/i.test(each) ||
      !/; SameSite=none/i.test(each) ||
      !/; Partitioned/i.test(each) ||
      !/; HttpOnly/i.test(each)
    ) {
      checks.holds(`a frame in Strapi may send the cookie ${each}`, false);
    }
  }
  return cookies
    .map((each) => each.split(';', 1)[0])
    .sort()
    .join('; ');
}

async function pageOf(path: string, cookie: string): Promise<string> {
  return (await fetch(site + path, { headers: { cookie } })).text();
}
