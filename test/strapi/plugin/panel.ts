/**
 * Builds the admin panel of a real Strapi with `strapi-plugin-lectern`, and reads the page of the plugin in Chromium,
 * while Lectern takes posts and while it does not. It takes minutes:
 *
 *     npm run test:plugin-panel -- [--folder DIR] [--strapi DIR]
 *
 * `--folder` and `--strapi` are those of `npm run test:follow`. The plugin is copied and configured as
 * docs/fresh-content.md says.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { startChromium } from '../../browser/support/chromium.ts';
import { freePort } from '../../support/cli.ts';
import { filledEntries } from '../follow/multiply.ts';
import { prepareProject } from '../follow/project.ts';
import { startStrapi } from '../follow/servers.ts';
import { packageOf } from '../installed.ts';
import { run } from '../processes.ts';
import { environment } from '../project.ts';
import { Receiver } from './receiver.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(tmpdir(), 'lectern-strapi-follow') },
    strapi: { type: 'string' },
  },
});
const folder = resolve(values.folder);
const strapiFolder = values.strapi ? resolve(values.strapi) : null;
await prepareProject({ folder, strapi: strapiFolder, entries: filledEntries, refill: false, database: 'sqlite' });

const repository = fileURLToPath(new URL('../../../', import.meta.url));
cpSync(join(repository, 'plugin'), join(folder, 'src', 'plugins', 'lectern'), { recursive: true });
const guide = readFileSync(join(repository, 'docs', 'fresh-content.md'), 'utf8');
const [, plugins] = /```js\n\s*(module\.exports[^`]*resolve: '\.\/src\/plugins\/lectern'[^`]*)```/.exec(guide)!;
writeFileSync(join(folder, 'config', 'plugins.js'), plugins);
const adminFile = join(folder, 'config', 'admin.js');
writeFileSync(adminFile, readFileSync(adminFile, 'utf8').replace('serveAdminPanel: false', 'serveAdminPanel: true'));
// a build demands the packages of the panel
writeFileSync(join(folder, 'package.json'), packageOf(folder));
const program = join(folder, 'node_modules', '@strapi', 'strapi', 'bin', 'strapi.js');
console.log('Building the admin panel');
await run({
  program: process.execPath,
  args: [program, 'build'],
  cwd: folder,
  log: join(folder, 'panel.log'),
  environment,
});

const secret = 'a secret of the plugin';
const receiver = new Receiver(secret);
const hookPort = await freePort();
await receiver.listen(hookPort);
const port = await freePort();
const strapi = await startStrapi(folder, port, {
  LECTERN_URL: `http://127.0.0.1:${hookPort}/_hooks/strapi`,
  LECTERN_SECRET: secret,
});
const person = { email: 'admin@example.com', password: 'Museum-1234', firstname: 'Ada', lastname: 'L' };
const headers = { 'Content-Type': 'application/json' };
const registered = await fetch(`${strapi.address}/admin/register-admin`, {
  method: 'POST',
  headers,
  body: JSON.stringify(person),
});
if (!registered.ok) throw new Error(`register-admin answers with ${registered.status}: ${await registered.text()}`);

const started = await startChromium();
const browser = await chromium.connect(started.address);
const page = await browser.newPage();
await page.goto(`${strapi.address}/admin/auth/login`);
await page.fill('input[name=email]', person.email);
await page.fill('input[name=password]', person.password);
await page.click('button[type=submit]');
await page.waitForURL((url) => !url.pathname.includes('/auth/'), { timeout: 120_000 });
await page.getByRole('link', { name: 'Lectern' }).click();
const shows = (text: string) => page.getByText(text).waitFor({ timeout: 60_000 });
await shows('Lectern is fresh.');
await shows('Changes that wait for Lectern: 0');
await shows('Content "main" equals this Strapi as of');
receiver.status = 503;
await shows('Lectern is behind: status 503.');
await page.screenshot({ path: join(folder, 'panel.png') });
receiver.status = 204;
await shows('Lectern is fresh.');
console.log(`The page says what is so: ${join(folder, 'panel.png')}`);
await browser.close();
await started.stop();
await strapi.stop();
process.exit(0);
