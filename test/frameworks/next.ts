/** Next.js: `next build` and `next start` with the recipe of docs/renewing-pages.md. */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '../support/cli.ts';
import type { Checks } from './checks.ts';
import { Articles } from './edits.ts';
import { Lectern } from './lectern.ts';
import { Pages } from './pages.ts';
import { recipe, Site } from './site.ts';

export async function checkNext(folder: string, scratch: string, checks: Checks): Promise<void> {
  const address = `http://127.0.0.1:${await freePort()}`;
  const files = recipe('Next.js');
  const settings = JSON.parse(files.get('lectern.json')!);
  const lectern = await Lectern.create(join(scratch, 'next'), settings, `${address}/api/stale`);
  lectern.addPicture(`/uploads/${pictureOf(lectern)}`);
  await lectern.start();

  const site = new Site(folder);
  const config = files.get('next.config.js')!.replaceAll(`http://127.0.0.1:${settings.port}`, lectern.address);
  await site.prepare('next', new Map([...files, ['next.config.js', config]]), ['.next']);
  const environment = {
    LECTERN_URL: `${lectern.address}/api`,
    LECTERN_SECRET: lectern.secret,
    NEXT_TELEMETRY_DISABLED: '1',
  };
  const script = 'next/dist/bin/next';
  const started = Date.now();
  await site.build(script, ['build'], environment);
  console.log(`next: built in ${Date.now() - started} ms`);
  const { hostname, port } = new URL(address);
  const args = [join('node_modules', script), 'start', '-H', hostname, '-p', port];
  const front = await site.start(address, args[0], args.slice(1), environment);

  const articles = new Articles(lectern);
  const pages = new Pages(address, articles.paths);
  await pages.remade();
  checks.equal('next: pages made at the second visit', await pages.remade(), []);
  const missing = articles.paths.at(-1)!;
  checks.equal('next: the page of an article that does not exist', pages.at(missing).status, 404);
  // its first event has no tags
  await lectern.stop();
  await lectern.start();
  await lectern.untilSent();
  checks.equal('next: pages made again after a restart of Lectern', await pages.remade(), articles.existing);
  await articles.edit(pages, checks);

  const cover = `${lectern.address}/uploads/${pictureOf(lectern)}`;
  const picture = await fetch(`${address}/_next/image?url=${encodeURIComponent(cover)}&w=640&q=75`);
  checks.equal('next: the status of a picture of a local address', picture.status, 200);
  const unsigned = await fetch(`${address}/api/stale`, { method: 'POST', body: '{"tags":null}' });
  checks.equal('next: the status of an event without a signature', unsigned.status, 401);
  const tags = Array.from({ length: 10_000 }, (_, i) => `api::article.article/none-${i}`);
  const [status, milliseconds] = await sendSigned(`${address}/api/stale`, { tags }, lectern.secret);
  checks.equal(
    `next: an event of 10,000 tags is taken, in ${milliseconds} ms`,
    [status, milliseconds < 5000],
    [204, true],
  );
  checks.equal('next: pages made again after it', await pages.remade(), []);
  await front.stop();
  await lectern.stop();
}

async function sendSigned(url: string, event: object, secret: string): Promise<[status: number, milliseconds: number]> {
  const body = JSON.stringify({ content: 'main', version: '1-0', ...event });
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const started = Date.now();
  const { status } = await fetch(url, { method: 'POST', body, headers: { 'X-Lectern-Signature': signature } });
  return [status, Date.now() - started];
}

/** The file of the cover of the latest article. */
function pictureOf(lectern: Lectern): string {
  const { cover } = new Articles(lectern).latest[0];
  const { hash, ext } = lectern.entries('file').find(({ documentId }) => documentId === cover)!;
  return hash + ext;
}
