import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePortableExport } from './portable-export.ts';
import { textsOf, type Website } from './website.ts';

/** A plugin of a hosting service that only builds for production take; installed in the repository's root. */
const hostingPlugin = '@netlify/vite-plugin-tanstack-start';

const seed = 'seed-data.tar.gz';

/** A community starter: TanStack Start with server-side rendering. Its repository holds an export. */
export const tanstack: Website = {
  name: 'tanstack',
  repository: 'PaulBratslavsky/strapi-tanstack-start-starter',
  server: 'server',
  seed,
  client: 'client',
  async fill(project, checkout) {
    const portable = join(project.folder, 'seed.tar.gz');
    await writePortableExport(join(checkout, seed), portable);
    await project.command('import', '-f', portable, '--force');
  },
  prepare(client) {
    const folder = join(client, 'node_modules', hostingPlugin);
    mkdirSync(folder, { recursive: true });
    const description = { name: hostingPlugin, version: '0.0.0', type: 'module', main: 'index.js' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(description));
    writeFileSync(join(folder, 'index.js'), 'export default () => [];\n');
  },
  command: (port, api) => ({
    args: ['vite', 'dev', '--host', '127.0.0.1', '--port', String(port)],
    environment: { VITE_STRAPI_URL: api, VITE_STRAPI_BASE_URL: api },
  }),
  async pages(api) {
    const articles = await textsOf(api, 'articles', 'slug');
    const pages = await textsOf(api, 'pages', 'slug');
    return ['/', '/articles', ...pages.map((slug) => `/${slug}`), ...articles.map((slug) => `/articles/${slug}`)];
  },
  failures: ['Something went wrong', 'Internal Server Error', 'HTTPError'],
};
