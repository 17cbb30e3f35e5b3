/** The Strapi project that Lectern follows: the museum, with a route for what REST cannot do. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf } from '../fingerprint.ts';
import { compileSqlite, installedVersion, installStrapi, linkModules } from '../installed.ts';
import { components } from '../model/components.ts';
import { contentTypes } from '../model/content-types.ts';
import { run } from '../processes.ts';
import { environment, writeProject } from '../project.ts';
import { writeConfiguration } from '../projects/configuration.ts';
import {
  type DatabaseKind,
  hasKeptDatabase,
  keepDatabase,
  restoreDatabase,
  type StartedDatabase,
} from './databases.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * The route takes the name of an action of the document service or of the database, with its parameters. With `isUndone`,
 * the action is rolled back. At its start, Strapi makes a webhook of all events to the WEBHOOK_URL of its environment.
 */
const sources = [
  {
    path: 'index.js',
    text: `module.exports = {
  async bootstrap({ strapi }) {
    const { WEBHOOK_URL: url, WEBHOOK_TOKEN: token } = process.env;
    if (!url) return;
    const store = strapi.get('webhookStore');
    const runner = strapi.get('webhookRunner');
    for (const webhook of await store.findWebhooks()) {
      runner.remove(webhook);
      await store.deleteWebhook(webhook.id);
    }
    const headers = { Authorization: 'Bearer ' + token };
    const events = [...store.allowedEvents.values()];
    runner.add(await store.createWebhook({ name: 'lectern', url, headers, events }));
  },
};
`,
  },
  {
    path: 'api/editor/routes/editor.js',
    text: `module.exports = { routes: [{ method: 'POST', path: '/editor', handler: 'editor.run' }] };\n`,
  },
  {
    path: 'api/editor/controllers/editor.js',
    text: `module.exports = {
  async run(ctx) {
    const { uid, action, database, parameters, isUndone } = ctx.request.body;
    const target = database ? strapi.db.query(uid) : strapi.documents(uid);
    if (!isUndone) return void (ctx.body = (await target[action](parameters)) ?? {});
    await strapi.db.transaction(async ({ rollback }) => {
      await target[action](parameters);
      await rollback();
    });
    ctx.body = {};
  },
};
`,
  },
];

export interface ProjectOptions {
  readonly folder: string;
  /** A folder with installed packages, or null to install them in a folder below that of the project. */
  readonly strapi: string | null;
  /** The least number of entries. */
  readonly entries: number;
  readonly refill: boolean;
  readonly database: DatabaseKind;
}

/** Installs, writes and fills the project, unless the same one has been filled there. Returns its database, started. */
export async function prepareProject(options: ProjectOptions): Promise<StartedDatabase> {
  const { folder, strapi, entries, refill, database: kind } = options;
  mkdirSync(folder, { recursive: true });
  const installed = strapi ?? join(folder, 'strapi');
  if (!strapi) {
    await installStrapi(installed);
    await compileSqlite(installed);
  }
  linkModules(folder, installed);
  const mark = join(folder, `.filled-${kind}`);
  const fingerprint = `${fingerprintOf(filesOfContent())} ${entries} ${installedVersion(folder)}`;
  const isKept = hasKeptDatabase(folder, kind) && existsSync(mark) && readFileSync(mark, 'utf8') === fingerprint;
  const isFilled = !refill && isKept;
  const database = await restoreDatabase(folder, kind, isFilled);
  writeProject(folder, { contentTypes, components, sources }, { database: 0, server: 0 });
  writeConfiguration(folder, 'museum', database.connection);
  if (isFilled) return database;
  console.log('Filling Strapi');
  rmSync(mark, { force: true });
  const args = ['--import', import.meta.resolve('tsx'), join(here, 'fill.ts'), folder, String(entries)];
  await run({ program: process.execPath, args, cwd: folder, log: join(folder, 'fill.log'), environment });
  await database.stop();
  keepDatabase(folder, kind);
  writeFileSync(mark, fingerprint);
  const refilled = await restoreDatabase(folder, kind, true);
  writeConfiguration(folder, 'museum', refilled.connection);
  return refilled;
}

/** The files that decide on the content. */
function filesOfContent(): string[] {
  const folders = ['../model', '../fill'].flatMap((name) =>
    readdirSync(join(here, name))
      .sort()
      .map((file) => join(here, name, file)),
  );
  return [...folders, join(here, 'fill.ts'), join(here, '..', 'access.ts'), join(here, '..', 'random.ts')];
}
