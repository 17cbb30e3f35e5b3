/** Astro: `astro build` with the loader of docs/renewing-pages.md, before and after edits. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checks } from './checks.ts';
import { Articles } from './edits.ts';
import { Lectern } from './lectern.ts';
import { recipe, Site } from './site.ts';

const uid = 'api::article.article';

export async function checkAstro(folder: string, scratch: string, checks: Checks): Promise<void> {
  const settings = { webhook: { secret: 'nobody listens here' } };
  const lectern = await Lectern.create(join(scratch, 'astro'), settings, 'http://127.0.0.1:9/');
  await lectern.start();
  const site = new Site(folder);
  await site.prepare('astro', recipe('Astro'), ['dist', '.astro', 'node_modules/.astro']);
  const { latest, older } = new Articles(lectern);
  const pageOf = (slug: string) => join(folder, 'dist/articles', slug, 'index.html');

  /** Builds the site, and returns what the loader says. */
  const build = async () => {
    const started = Date.now();
    await site.build('astro/astro.js', ['build'], {
      LECTERN_URL: `${lectern.address}/api`,
      ASTRO_TELEMETRY_DISABLED: '1',
    });
    const [line] = /articles: \d+ entries.*/.exec(readFileSync(join(folder, 'build.log'), 'utf8')) ?? [];
    console.log(`astro: built in ${Date.now() - started} ms`);
    return line;
  };

  const all = lectern.entries('article').filter(({ locale, status }) => locale === 'en' && status === 'published');
  checks.equal('astro: the first build', await build(), loaded(all.length, all.length, 0));
  checks.holds('astro: a page shows its article', readFileSync(pageOf(older.slug), 'utf8').includes('<h1>'));
  checks.equal('astro: a build without changes', await build(), loaded(all.length, 0, 0));
  await lectern.changeUntold([
    { upsert: uid, entry: { ...latest[0], title: 'Edited once' } },
    { delete: uid, documentId: older.documentId },
  ]);
  checks.equal('astro: an article is edited, another deleted', await build(), loaded(all.length - 1, 1, 1));
  checks.holds('astro: its page shows the title', readFileSync(pageOf(latest[0].slug), 'utf8').includes('Edited once'));
  checks.holds('astro: the other page is gone', !existsSync(pageOf(older.slug)));
  await lectern.stop();
}

function loaded(entries: number, written: number, deleted: number): string {
  return `articles: ${entries} entries, ${written} of them new or changed, ${deleted} deleted`;
}
