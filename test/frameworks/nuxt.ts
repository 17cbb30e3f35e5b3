/** Nuxt: `nuxt build` and its server with the recipe of docs/renewing-pages.md. */
import { join } from 'node:path';
import { freePort } from '../support/cli.ts';
import type { Checks } from './checks.ts';
import { Articles } from './edits.ts';
import { Lectern } from './lectern.ts';
import { Pages } from './pages.ts';
import { recipe, Site } from './site.ts';

export async function checkNuxt(folder: string, scratch: string, checks: Checks): Promise<void> {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const settings = JSON.parse(recipe('Next.js').get('lectern.json')!);
  const lectern = await Lectern.create(join(scratch, 'nuxt'), settings, `${address}/api/stale`);
  const site = new Site(folder);
  await site.prepare('nuxt', recipe('Nuxt'), ['.output', '.nuxt']);
  const started = Date.now();
  await site.build('nuxt/bin/nuxt.mjs', ['build'], { NUXT_TELEMETRY_DISABLED: '1' });
  console.log(`nuxt: built in ${Date.now() - started} ms`);
  await lectern.start();
  const front = await site.start(address, '.output/server/index.mjs', [], {
    NUXT_PUBLIC_LECTERN_URL: `${lectern.address}/api`,
    LECTERN_SECRET: lectern.secret,
    HOST: '127.0.0.1',
    PORT: String(port),
  });
  await lectern.untilSent();

  const articles = new Articles(lectern);
  const pages = new Pages(address, articles.paths);
  await pages.remade();
  checks.equal('nuxt: pages made at the second visit', await pages.remade(), []);
  checks.equal('nuxt: the page of an article that does not exist', pages.at(articles.paths.at(-1)!).status, 404);
  await articles.edit(pages, checks);

  // what a browser reads for a page that it is led to
  const [first] = articles.latest;
  const payload = `${address}/articles/${first.slug}/_payload.json`;
  await (await fetch(payload)).text();
  await lectern.change([{ upsert: 'api::article.article', entry: { ...first, title: 'Edited at last' } }]);
  const text = await (await fetch(payload)).text();
  checks.holds('nuxt: the data of a page is read again, too', text.includes('Edited at last'));
  await front.stop();
  await lectern.stop();
}
