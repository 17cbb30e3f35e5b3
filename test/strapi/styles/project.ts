/** Writes a style as a Strapi project with SQLite, starts it and exports it. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../../support/cli.ts';
import { isUp } from '../filled.ts';
import { installedVersion, linkModules } from '../installed.ts';
import { type Command, type Running, run, start } from '../processes.ts';
import { environment } from '../project.ts';
import type { StyleModel, StyleType } from './style.ts';

/** Makes the folder of a project without content types. Strapi and better-sqlite3 are installed in `installed`. */
export function createProject(folder: string, installed: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'public', 'uploads'), { recursive: true });
  mkdirSync(join(folder, '.tmp'));
  linkModules(folder, installed);
  const connection = {
    client: 'sqlite',
    connection: { filename: join(folder, '.tmp', 'data.db') },
    useNullAsDefault: true,
  };
  const secrets = { auth: { secret: 'a' }, apiToken: { salt: 'b' }, transfer: { token: { salt: 'c' } } };
  const parts = ['errors', 'security', 'cors', 'query', 'body', 'session', 'favicon', 'public'];
  const configuration = {
    database: { connection },
    admin: { ...secrets, secrets: { encryptionKey: 'd'.repeat(32) }, serveAdminPanel: false },
    api: { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } },
    middlewares: parts.map((name) => `strapi::${name}`),
    plugins: { 'users-permissions': { config: { jwtSecret: 'secret' } } },
  };
  const files = Object.entries(configuration).map(([name, value]) => [
    `config/${name}.js`,
    `module.exports = ${JSON.stringify(value)};`,
  ]);
  const version = installedVersion(folder);
  const dependencies = { '@strapi/strapi': version, '@strapi/plugin-users-permissions': version };
  write(folder, {
    ...Object.fromEntries(files),
    'package.json': JSON.stringify({ name: 'style', private: true, strapi: { uuid: false }, dependencies }),
    'config/server.js': `module.exports = ({ env }) => ({ host: '127.0.0.1', port: env.int('PORT'), app: { keys: ['k'] } });`,
  });
}

/** Writes a model in place of the one before. Content is filled if there is none; everybody may find all of it. */
export function writeModel(folder: string, model: StyleModel, seed: string): void {
  rmSync(join(folder, 'src'), { recursive: true, force: true });
  for (const [name, type] of Object.entries(model.types)) write(folder, filesOfType(name, type));
  for (const [uid, attributes] of Object.entries(model.components ?? {})) {
    const schema = { collectionName: `components_${uid.replace('.', '_')}`, info: { displayName: uid }, attributes };
    write(folder, { [`src/components/${uid.replace('.', '/')}.json`]: JSON.stringify(schema) });
  }
  const first = Object.keys(model.types)[0];
  const index = `module.exports = {
    register({ strapi }) { ${model.register ?? ''} },
    async bootstrap({ strapi }) {
      const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
      const permissions = strapi.db.query('plugin::users-permissions.permission');
      for (const uid of Object.keys(strapi.contentTypes).filter((uid) => uid.startsWith('api::'))) {
        for (const verb of ['find', 'findOne']) {
          const where = { action: uid + '.' + verb, role: role.id };
          if (!(await permissions.findOne({ where }))) await permissions.create({ data: where });
        }
      }
      const d = (name) => strapi.documents('api::' + name + '.' + name);
      if (await d('${first}').count()) return;
      ${seed}
    },
  };`;
  write(folder, { 'src/index.js': index, ...model.files });
}

function filesOfType(name: string, type: StyleType): Record<string, string> {
  const { attributes, plural = `${name}s`, kind = 'collectionType', draftAndPublish = false, localized } = type;
  const schema = {
    kind,
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: plural, displayName: name },
    options: { draftAndPublish },
    ...(localized ? { pluginOptions: { i18n: { localized } } } : {}),
    attributes,
  };
  const factory = (part: string) =>
    `module.exports = require('@strapi/strapi').factories.createCore${part}('api::${name}.${name}');`;
  const folder = `src/api/${name}`;
  return {
    [`${folder}/content-types/${name}/schema.json`]: JSON.stringify(schema),
    [`${folder}/routes/${name}.js`]: factory('Router'),
    [`${folder}/controllers/${name}.js`]: factory('Controller'),
    [`${folder}/services/${name}.js`]: factory('Service'),
  };
}

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

export async function startProject(folder: string): Promise<Running & { address: string }> {
  const port = await freePort();
  const strapi = start(command(folder, ['start'], port));
  const address = `http://127.0.0.1:${port}`;
  await strapi.ready(() => isUp(`${address}/_health`));
  return { ...strapi, address };
}

/** Exports the content and gives the path of the archive. */
export async function exportProject(folder: string): Promise<string> {
  await run(command(folder, ['export', '--no-encrypt', '--no-compress', '-f', 'content'], await freePort()));
  return join(folder, 'content.tar');
}

function command(folder: string, args: string[], port: number): Command {
  return {
    program: process.execPath,
    args: [join(folder, 'node_modules/@strapi/strapi/bin/strapi.js'), ...args],
    cwd: folder,
    log: join(folder, `${args[0]}.log`),
    environment: { ...environment, PORT: String(port) },
  };
}
