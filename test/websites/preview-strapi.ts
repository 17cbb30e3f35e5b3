/** A Strapi of its own, made by the command of docs/previews.md: what its server tells its "Preview" button. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../frameworks/checks.ts';
import type { PreviewWalk } from '../support/preview-walk.ts';

const uid = 'api::article.article';

/** Runs the last step of the page with a copy of the project. `headingAt` opens an address as an editor does. */
export async function checkStrapiProject(
  walk: PreviewWalk,
  project: string,
  headingAt: (address: string) => Promise<string | null>,
  checks: Checks,
): Promise<void> {
  const address = walk.adapt('http://localhost:1337');
  copyProject(walk, project, new URL(address).port);
  await walk.run(6, ['create-strapi']);
  for (const deadline = Date.now() + 600_000; !(await isUp(address)); await sleep(500)) {
    if (Date.now() > deadline) throw new Error(readFileSync(join(walk.folder, 'strapi.log'), 'utf8'));
  }
  const editor = { email: 'editor@a.example', password: 'Editor-123', firstname: 'An', lastname: 'Editor' };
  let token: string | null = null;
  token = (await ask('POST', '/admin/register-admin', editor)).data.token;

  async function ask(method: string, path: string, body?: object): Promise<any> {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const response = await fetch(address + path, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  }

  const policy = (await fetch(`${address}/admin`)).headers.get('content-security-policy') ?? '';
  checks.holds(
    'Strapi lets its panel show the site',
    policy.includes(`frame-src ${walk.adapt('http://localhost:3000')}`),
  );
  const [article] = (await ask('GET', `/content-manager/collection-types/${uid}?pageSize=1`)).results;
  const at = `documentId=${article.documentId}`;
  const { url } = (await ask('GET', `/content-manager/preview/url/${uid}?${at}&status=draft`)).data;
  checks.equal('Strapi opens the draft of an article', await headingAt(url), article.title);
  const title = 'What an editor saves';
  await ask('PUT', `/content-manager/collection-types/${uid}/${article.documentId}`, { title });
  await sleep(1500);
  checks.equal('the page shows what is saved, at the last refresh of its frame', await headingAt(url), title);
  const other = await ask('GET', `/content-manager/preview/url/api::author.author?${at}&status=draft`);
  checks.equal('types without a page have no preview', other, null);
}

/** Copies a project, which has another port and the configuration of the page. */
function copyProject(walk: PreviewWalk, project: string, port: string): void {
  const copy = join(walk.folder, 'my-strapi');
  const left = ['node_modules', 'dist'].map((name) => join(project, name));
  cpSync(project, copy, { recursive: true, filter: (path) => !left.includes(path) });
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  const file = join(copy, '.env');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^PORT=.*/m, `PORT=${port}`));
  writeFileSync(join(copy, 'config/admin.ts'), walk.file('ts'));
}

async function isUp(address: string): Promise<boolean> {
  return fetch(`${address}/_health`).then(
    ({ status }) => status === 204,
    () => false,
  );
}
