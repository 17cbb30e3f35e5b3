/** The Strapi project in the scratch folder: configuration and content model. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jwtSecret } from './access.ts';
import type { Model } from './model/definitions.ts';

/** No reports and no questions to the world outside. */
export const environment = {
  NODE_ENV: 'production',
  STRAPI_TELEMETRY_DISABLED: 'true',
  STRAPI_DISABLE_UPDATE_NOTIFICATION: 'true',
  STRAPI_DISABLE_EE: 'true',
  STRAPI_HIDE_STARTUP_MESSAGE: 'true',
};

/** Writes configuration and content model. */
export function writeProject(folder: string, model: Model, ports: { database: number; server: number }): void {
  for (const path of ['config', 'src', 'dist', '.strapi']) rmSync(join(folder, path), { recursive: true, force: true });
  const write = (path: string, text: string) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const [name, value] of Object.entries(configuration(ports))) {
    write(`config/${name}.js`, `module.exports = ${JSON.stringify(value, null, 2)};\n`);
  }
  for (const { path, schema } of [...model.components, ...model.contentTypes]) {
    write(`src/${path}`, JSON.stringify(schema, null, 2));
  }
  for (const { path, text } of model.sources ?? []) write(`src/${path}`, text);
  for (const { path } of model.contentTypes) {
    const name = path.split('/')[1];
    for (const part of ['Controller', 'Router', 'Service']) {
      const file = `src/api/${name}/${part === 'Router' ? 'route' : part.toLowerCase()}s/${name}.js`;
      write(file, `module.exports = require('@strapi/strapi').factories.createCore${part}('api::${name}.${name}');\n`);
    }
  }
  mkdirSync(join(folder, 'public', 'uploads'), { recursive: true });
}

/** Strapi's configuration files by name. The secrets guard nothing but seeded content on the loopback interface. */
function configuration(ports: { database: number; server: number }): Record<string, unknown> {
  return {
    server: { host: '127.0.0.1', port: ports.server, app: { keys: ['museum-key-1', 'museum-key-2'] } },
    database: {
      connection: {
        client: 'postgres',
        connection: { host: '127.0.0.1', port: ports.database, database: 'postgres', user: 'strapi', password: '' },
      },
    },
    admin: {
      auth: { secret: 'museum-admin-secret' },
      apiToken: { salt: 'museum-api-token-salt' },
      transfer: { token: { salt: 'museum-transfer-token-salt' } },
      secrets: { encryptionKey: 'museum-encryption-key-of-32-byte' },
      serveAdminPanel: false,
      flags: { nps: false, promoteEE: false },
    },
    api: { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } },
    plugins: { 'users-permissions': { config: { jwtSecret } } },
    // all but the log of requests
    middlewares: ['errors', 'security', 'cors', 'query', 'body', 'session', 'favicon', 'public'].map(
      (name) => `strapi::${name}`,
    ),
  };
}
