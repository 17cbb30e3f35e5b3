/** The databases that Strapi may keep the museum in. Each is filled once, and begins every run as it was filled. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MysqlServer } from '../../database/mysql/mysql-server.ts';
import { type DatabaseServer, startDatabase } from '../postgres.ts';

export type DatabaseKind = 'sqlite' | 'postgres' | 'mariadb';

export interface StartedDatabase {
  /** The variables of the environment by which Strapi and Lectern find it. */
  readonly connection: Record<string, string>;
  /** Null for SQLite, which has no process. */
  readonly pid: number | null;
  stop(): Promise<void>;
}

interface KindOfDatabase {
  /** The files below the folder of the project. */
  readonly data: string;
  start(folder: string, isFilled: boolean): Promise<StartedDatabase>;
}

const sqlite: KindOfDatabase = {
  data: '.tmp',
  async start(folder) {
    mkdirSync(join(folder, '.tmp'), { recursive: true });
    const connection = { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: '".tmp/data.db"' };
    return { connection, pid: null, stop: async () => {} };
  },
};

const postgres: KindOfDatabase = {
  data: 'postgres',
  async start(folder) {
    const below = join(folder, 'postgres');
    mkdirSync(below, { recursive: true });
    const server = await startDatabase(below, false);
    return started(server, { client: 'postgres', name: 'postgres', user: 'strapi', password: '' });
  },
};

const mariadb: KindOfDatabase = {
  data: 'mariadb',
  async start(folder, isFilled) {
    // while Strapi is filled, locks of gaps may make two of its own connections wait for each other
    const settings = isFilled ? [] : ['--transaction-isolation=READ-COMMITTED'];
    const server = await MysqlServer.start(join(folder, 'mariadb'), ...settings);
    return { connection: server.variables, pid: server.pid, stop: () => server.stop() };
  },
};

const kinds: Readonly<Record<DatabaseKind, KindOfDatabase>> = { sqlite, postgres, mariadb };

interface Login {
  readonly client: string;
  readonly name: string;
  readonly user: string;
  readonly password: string;
}

function started({ port, pid, stop }: DatabaseServer, { client, name, user, password }: Login): StartedDatabase {
  const connection = {
    DATABASE_CLIENT: client,
    DATABASE_HOST: '127.0.0.1',
    DATABASE_PORT: String(port),
    DATABASE_NAME: name,
    DATABASE_USERNAME: user,
    DATABASE_PASSWORD: password,
  };
  return { connection, pid, stop };
}

/** Starts the database of a project, with the data of `keepDatabase` if there are any, otherwise empty. */
export function restoreDatabase(folder: string, kind: DatabaseKind, isFilled: boolean): Promise<StartedDatabase> {
  const data = join(folder, kinds[kind].data);
  rmSync(data, { recursive: true, force: true });
  if (isFilled) copyData(keptData(folder, kind), data);
  return kinds[kind].start(folder, isFilled);
}

/** Keeps the data of a database that is stopped. */
export function keepDatabase(folder: string, kind: DatabaseKind): void {
  const kept = keptData(folder, kind);
  rmSync(kept, { recursive: true, force: true });
  copyData(join(folder, kinds[kind].data), kept);
}

export function hasKeptDatabase(folder: string, kind: DatabaseKind): boolean {
  return existsSync(keptData(folder, kind));
}

function keptData(folder: string, kind: DatabaseKind): string {
  return join(folder, `filled-${kind}`);
}

/** Copies with owners, because the servers run as users of their own. */
function copyData(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to]);
}
