/**
 * Installs servers of other versions than the machine's into a folder, from the archives of Debian and Ubuntu. Each is
 * unpacked beside the libraries of its suite and started with the loader of its suite, so the machine's own packages stay
 * as they are. Needs apt-get and dpkg, on x64.
 */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

interface ServerPackages {
  readonly kind: 'postgres' | 'mysql' | 'redis';
  readonly suite: string;
  readonly packages: readonly string[];
}

const mysql = { kind: 'mysql', packages: ['mysql-server-core', 'mysql-client-core'] } as const;
const mysql80 = { kind: 'mysql', packages: ['mysql-server-core-8.0', 'mysql-client-core-8.0'] } as const;
const mariadb = { kind: 'mysql', packages: ['mariadb-server-core', 'mariadb-client-core'] } as const;

export const servers: Readonly<Record<string, ServerPackages>> = {
  'postgres-13': { kind: 'postgres', suite: 'bullseye', packages: ['postgresql-13'] },
  'postgres-14': { kind: 'postgres', suite: 'jammy', packages: ['postgresql-14'] },
  'postgres-16': { kind: 'postgres', suite: 'noble', packages: ['postgresql-16'] },
  'postgres-17': { kind: 'postgres', suite: 'trixie', packages: ['postgresql-17'] },
  'postgres-18': { kind: 'postgres', suite: 'sid', packages: ['postgresql-18'] },
  'mysql-8.0': { ...mysql80, suite: 'noble' },
  'mysql-8.4': { ...mysql, suite: 'resolute' },
  'mysql-9.7': { ...mysql, suite: 'sid' },
  'mariadb-11.8': { ...mariadb, suite: 'trixie' },
  'redis-8.0': { kind: 'redis', suite: 'trixie', packages: ['redis-server'] },
  'valkey-8.1': { kind: 'redis', suite: 'trixie', packages: ['valkey-server'] },
};

const debianSuites = ['bullseye', 'trixie', 'sid'];
const debian = 'http://deb.debian.org/debian';
const ubuntu = 'http://archive.ubuntu.com/ubuntu';

/** Programs of MySQL and MariaDB that the tests start. Those of PostgreSQL have a folder of their own. */
const mysqlPrograms = [
  'sbin/mysqld',
  'sbin/mariadbd',
  'bin/mysql',
  'bin/mysqldump',
  'bin/mariadb',
  'bin/my_print_defaults',
  'bin/resolveip',
];

const programPaths: Readonly<Record<ServerPackages['kind'], (usr: string) => string[]>> = {
  postgres: postgresPrograms,
  mysql: (usr) => mysqlPrograms.map((path) => join(usr, path)),
  redis: redisPrograms,
};

/** Returns the folder of the programs of a server, after installing it below `folder` unless it is there. */
export function installServer(name: string, folder: string): string {
  const { kind, suite, packages } = servers[name];
  const top = join(folder, name);
  const programs = join(top, 'programs');
  if (existsSync(programs)) return programs;
  rmSync(top, { recursive: true, force: true });
  const archives = debianSuites.includes(suite)
    ? [`${debian} ${suite} main`]
    : [suite, `${suite}-updates`].map((name) => `[signed-by=${ubuntuKeyring(folder)}] ${ubuntu} ${name} main universe`);
  unpack(packages, archives, top, join(folder, '.apt', suite), true);
  const usr = join(top, 'usr');
  const paths = programPaths[kind](usr).filter(isExecutable);
  for (const path of paths) wrap(path, top);
  // last, since it says that the server is installed
  const links = join(top, 'programs.new');
  mkdirSync(links);
  for (const path of paths) symlinkSync(path, join(links, basename(path)));
  const installer = join(usr, 'bin/mariadb-install-db');
  if (existsSync(installer)) writeScript(join(links, basename(installer)), `sh ${installer} "$@" --basedir=${usr}`);
  renameSync(links, programs);
  return programs;
}

/** The keys of Ubuntu's archive, from Debian's package. */
function ubuntuKeyring(folder: string): string {
  const top = join(folder, 'ubuntu-keyring');
  const keyring = join(top, 'usr/share/keyrings/ubuntu-archive-keyring.gpg');
  if (!existsSync(keyring))
    unpack(['ubuntu-keyring'], [`${debian} trixie main`], top, join(folder, '.apt', 'trixie'), false);
  return keyring;
}

/** Unpacks packages, with all that they depend on. `state` keeps apt's lists of the archives. */
function unpack(
  packages: readonly string[],
  archives: readonly string[],
  top: string,
  state: string,
  withDependencies: boolean,
) {
  const packageFolder = join(top, 'archives');
  for (const path of [join(state, 'lists/partial'), join(packageFolder, 'partial')])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(state, 'status'), '');
  writeFileSync(join(state, 'sources.list'), archives.map((archive) => `deb ${archive}\n`).join(''));
  const settings = {
    'Dir::State': state,
    // no package is installed for this apt, so it brings even the C library
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': state,
    'Dir::Cache::archives': packageFolder,
    'Dir::Etc::sourcelist': join(state, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': 'root',
  };
  const options = ['-qq', ...Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`])];
  const output: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'], cwd: packageFolder };
  execFileSync('apt-get', [...options, 'update'], output);
  const flags = ['install', '-y', '--no-install-recommends', '--download-only'];
  execFileSync('apt-get', [...options, ...(withDependencies ? flags : ['download']), ...packages], output);
  const files = readdirSync(packageFolder).filter((file) => file.endsWith('.deb'));
  for (const file of files) execFileSync('dpkg', ['-x', file, top], output);
  rmSync(packageFolder, { recursive: true });
}

function postgresPrograms(usr: string): string[] {
  const versions = join(usr, 'lib/postgresql');
  return readdirSync(versions).flatMap((version) => {
    const folder = join(versions, version, 'bin');
    return readdirSync(folder).map((name) => join(folder, name));
  });
}

/** One program under several names, which does what its name says. */
function redisPrograms(usr: string): string[] {
  const paths = ['redis-server', 'valkey-server'].map((name) => join(usr, 'bin', name)).filter(existsSync);
  for (const path of paths) {
    const program = realpathSync(path);
    rmSync(path);
    copyFileSync(program, path);
  }
  return paths;
}

/** Says whether a path is a program for a loader: no script, and no link to a program. */
function isExecutable(path: string): boolean {
  if (!existsSync(path) || lstatSync(path).isSymbolicLink()) return false;
  const file = openSync(path, 'r');
  const start = Buffer.alloc(4);
  readSync(file, start);
  closeSync(file);
  return start.toString('latin1') === '\x7fELF';
}

/** Puts a script in the place of a program, which starts it with the loader and the libraries of its suite. */
function wrap(path: string, top: string): void {
  const usr = join(top, 'usr');
  const libraries = ['lib', 'usr/lib'].map((name) => join(top, name, 'x86_64-linux-gnu')).filter(existsSync);
  const loader = libraries.map((folder) => join(folder, 'ld-linux-x86-64.so.2')).find(existsSync);
  renameSync(path, `${path}.elf`);
  const base = /mysqld$|mariadbd$/.test(path) ? ` --basedir=${usr}` : '';
  writeScript(path, `${loader} --library-path ${libraries.join(':')} ${path}.elf "$@"${base}`);
}

function writeScript(path: string, command: string): void {
  writeFileSync(path, `#!/bin/sh\nexec ${command}\n`, { mode: 0o755 });
}
