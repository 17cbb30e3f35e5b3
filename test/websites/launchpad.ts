import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../strapi/processes.ts';
import { textsOf, type Website } from './website.ts';

/** The stylesheet that the site loads from Google's font service, and what it gets instead. */
const fontAddress = 'https://fonts.googleapis.com/css2?family=Inter:wght@400;500;600;700;800;900&display=swap';
const fontStyle = "@font-face { font-family: 'Inter'; font-weight: 400; src: local('sans-serif'); }";
const fontFile = 'mocked-fonts.cjs';

/** Strapi's demo project: Next.js, two locales. Its route middlewares populate what its pages show. */
export const launchpad: Website = {
  name: 'launchpad',
  repository: 'strapi/LaunchPad',
  server: 'strapi',
  client: 'next',
  async fill({ folder }) {
    const tsx = fileURLToPath(import.meta.resolve('tsx'));
    const script = fileURLToPath(new URL('fill.ts', import.meta.url));
    const args = ['--import', tsx, script, folder];
    await run({ program: process.execPath, args, cwd: folder, log: join(folder, 'fill.log') });
  },
  prepare(client) {
    writeFileSync(join(client, fontFile), `module.exports = ${JSON.stringify({ [fontAddress]: fontStyle })};\n`);
  },
  command: (port, api) => ({
    args: ['next', 'dev', '-H', '127.0.0.1', '-p', String(port)],
    environment: {
      // the site caches what it reads unless it is told that this is development
      ENVIRONMENT: 'development',
      NEXT_PUBLIC_API_URL: api,
      WEBSITE_URL: `http://127.0.0.1:${port}`,
      PREVIEW_SECRET: 'preview',
      NEXT_TELEMETRY_DISABLED: '1',
      NEXT_FONT_GOOGLE_MOCKED_RESPONSES: `./${fontFile}`,
    },
  }),
  async pages(api) {
    const articles = await textsOf(api, 'articles', 'slug');
    const products = await textsOf(api, 'products', 'slug');
    return [
      ...['', '/pricing', '/contact', '/blog', '/products'].flatMap((path) => [`/en${path}`, `/fr${path}`]),
      ...articles.slice(0, 2).map((slug) => `/en/blog/${slug}`),
      ...products.slice(0, 2).map((slug) => `/en/products/${slug}`),
    ];
  },
  failures: ['Application error', 'Internal Server Error', 'StrapiError', 'TypeError'],
};
