/** The configuration of a Strapi project, in the form in which Strapi's own installer writes it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jwtSecret } from '../access.ts';
import { packageOf } from '../installed.ts';

const database = `const path = require('path');

module.exports = ({ env }) => {
  const client = env('DATABASE_CLIENT', 'sqlite');

  const connections = {
    mysql: {
      connection: {
        host: env('DATABASE_HOST', 'localhost'),
        port: env.int('DATABASE_PORT', 3306),
        database: env('DATABASE_NAME', 'strapi'),
        user: env('DATABASE_USERNAME', 'strapi'),
        password: env('DATABASE_PASSWORD', 'strapi'),
        ssl: env.bool('DATABASE_SSL', false) && {
          rejectUnauthorized: env.bool('DATABASE_SSL_REJECT_UNAUTHORIZED', true),
        },
      },
      pool: { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) },
    },
    postgres: {
      connection: {
        connectionString: env('DATABASE_URL'),
        host: env('DATABASE_HOST', 'localhost'),
        port: env.int('DATABASE_PORT', 5432),
        database: env('DATABASE_NAME', 'strapi'),
        user: env('DATABASE_USERNAME', 'strapi'),
        password: env('DATABASE_PASSWORD', 'strapi'),
        schema: env('DATABASE_SCHEMA', 'public'),
      },
    },
    sqlite: {
      connection: {
        filename: path.join(__dirname, '..', env('DATABASE_FILENAME', '.tmp/data.db')),
      },
      useNullAsDefault: true,
    },
  };

  return {
    connection: {
      client,
      ...connections[client],
      acquireConnectionTimeout: env.int('DATABASE_CONNECTION_TIMEOUT', 60000),
    },
  };
};
`;

const admin = `module.exports = ({ env }) => ({
  auth: { secret: env('ADMIN_JWT_SECRET') },
  apiToken: { salt: env('API_TOKEN_SALT') },
  transfer: { token: { salt: env('TRANSFER_TOKEN_SALT') } },
  secrets: { encryptionKey: env('ENCRYPTION_KEY') },
  serveAdminPanel: false,
  flags: { nps: false, promoteEE: false },
});
`;

const server = `module.exports = ({ env }) => ({
  host: env('HOST', '127.0.0.1'),
  port: env.int('PORT', 1337),
  app: { keys: env.array('APP_KEYS') },
});
`;

/** The files of the configuration that differ from those of `writeProject`. */
export const configurationFiles = ['database', 'admin', 'server'].map((name) => `config/${name}.js`);

/** The database of a project on SQLite, as variables of its environment. */
const sqlite = { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: '".tmp/data.db"' };

/**
 * Replaces the configuration of `writeProject` in a folder with linked modules. `connection` names the database as
 * variables of the environment. The secrets guard nothing but seeded content.
 */
export function writeConfiguration(folder: string, name: string, connection: Record<string, string> = sqlite): void {
  for (const [file, text] of Object.entries({ database, admin, server })) {
    writeFileSync(join(folder, 'config', `${file}.js`), text);
  }
  rmSync(join(folder, 'config', 'plugins.js'), { force: true });
  const variables = {
    APP_KEYS: `${name}-key-1,${name}-key-2`,
    API_TOKEN_SALT: `${name}-api-token-salt`,
    ADMIN_JWT_SECRET: `${name}-admin-secret`,
    TRANSFER_TOKEN_SALT: `${name}-transfer-token-salt`,
    ENCRYPTION_KEY: 'an-encryption-key-of-32-bytes-ok',
    JWT_SECRET: jwtSecret,
    ...connection,
  };
  const lines = Object.entries(variables).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(join(folder, '.env'), `# Secrets of seeded content\n${lines.join('')}`);
  const installed = (JSON.parse(packageOf(folder)) as { dependencies: Record<string, string> }).dependencies;
  const dependencies = Object.fromEntries(
    ['@strapi/strapi', '@strapi/plugin-users-permissions', 'better-sqlite3'].map((each) => [each, installed[each]]),
  );
  const text = JSON.stringify(
    { name, private: true, version: '0.0.0', strapi: { uuid: false }, dependencies },
    null,
    2,
  );
  writeFileSync(join(folder, 'package.json'), `${text}\n`);
}
