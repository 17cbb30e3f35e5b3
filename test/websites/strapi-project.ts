/** Turns the server folder of a public repository into a project that runs on the installed Strapi, with SQLite. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { linkModules, packageOf } from '../strapi/installed.ts';
import { type Running, run, start } from '../strapi/processes.ts';
import { freePort } from '../support/cli.ts';

export interface StrapiProject {
  readonly folder: string;
  /** Runs a command of Strapi's own to its end, such as `export`. */
  command(...args: string[]): Promise<void>;
  /** Starts the server and waits until it answers. */
  start(): Promise<Running & { address: string }>;
}

const environment = {
  NODE_ENV: 'production',
  STRAPI_TELEMETRY_DISABLED: 'true',
  STRAPI_DISABLE_UPDATE_NOTIFICATION: 'true',
  STRAPI_DISABLE_EE: 'true',
  STRAPI_HIDE_STARTUP_MESSAGE: 'true',
};

/**
 * Writes the project: the repository's content model and code, compiled from TypeScript, with a configuration of its
 * own. Strapi is installed in `installed`; `tools` is the node_modules folder of clients/package.json.
 */
export async function writeProject(
  source: string,
  folder: string,
  installed: string,
  tools: string,
): Promise<StrapiProject> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'public', 'uploads'), { recursive: true });
  mkdirSync(join(folder, 'database', 'migrations'), { recursive: true });
  await compile(join(source, 'src'), join(folder, 'src'), tools);
  const port = await freePort();
  for (const [name, value] of Object.entries(configuration(folder, port))) {
    const file = join(folder, 'config', `${name}.js`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `module.exports = ${JSON.stringify(value, null, 2)};\n`);
  }
  linkModules(folder, installed);
  // Strapi loads the plugins that the project's package file names
  writeFileSync(join(folder, 'package.json'), packageOf(folder));
  // Strapi reads the icon when it starts
  writeFileSync(join(folder, 'favicon.png'), '');

  const program = process.execPath;
  const cli = join(folder, 'node_modules', '@strapi', 'strapi', 'bin', 'strapi.js');
  const address = `http://127.0.0.1:${port}`;
  return {
    folder,
    command: (...args) =>
      run({ program, args: [cli, ...args], cwd: folder, log: join(folder, `${args[0]}.log`), environment }),
    async start() {
      const server = start({ program, args: [cli, 'start'], cwd: folder, log: join(folder, 'start.log'), environment });
      await server.ready(async () => (await fetch(`${address}/_health`)).status === 204);
      return { ...server, address };
    },
  };
}

/** Copies a folder of source code, TypeScript as CommonJS. The admin panel's code is left out. */
async function compile(source: string, target: string, tools: string): Promise<void> {
  const { transform } = createRequire(join(tools, 'x.js'))('esbuild');
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(source, file);
    if (!entry.isFile() || path.startsWith('admin/') || path.endsWith('.d.ts')) continue;
    const isTypeScript = extname(path) === '.ts';
    const copy = join(target, isTypeScript ? path.replace(/\.ts$/, '.js') : path);
    mkdirSync(dirname(copy), { recursive: true });
    if (!isTypeScript) cpSync(file, copy);
    else {
      const { code } = await transform(readFileSync(file, 'utf8'), { loader: 'ts', format: 'cjs', target: 'node20' });
      writeFileSync(copy, code);
    }
  }
}

/** Strapi's configuration files by name. The secrets guard nothing but public demo content on the loopback interface. */
function configuration(folder: string, port: number): Record<string, unknown> {
  return {
    server: { host: '127.0.0.1', port, app: { keys: ['front-key-1', 'front-key-2'] } },
    database: {
      connection: {
        client: 'sqlite',
        connection: { filename: join(folder, '.tmp', 'data.db') },
        useNullAsDefault: true,
      },
    },
    admin: {
      auth: { secret: 'front-admin-secret' },
      apiToken: { salt: 'front-api-token-salt' },
      transfer: { token: { salt: 'front-transfer-salt' } },
      secrets: { encryptionKey: 'front-encryption-key-of-32-bytes' },
      serveAdminPanel: false,
      flags: { nps: false, promoteEE: false },
    },
    api: { rest: { defaultLimit: 25, maxLimit: 100, withCount: true } },
    plugins: { 'users-permissions': { config: { jwtSecret: 'front-jwt-secret' } } },
    middlewares: ['errors', 'security', 'cors', 'query', 'body', 'session', 'favicon', 'public'].map(
      (name) => `strapi::${name}`,
    ),
  };
}
