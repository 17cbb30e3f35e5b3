/**
 * Runs a folder like a container image: as the root folder of its processes, read-only but for /tmp, with process numbers of
 * its own, as an unprivileged user. Takes root, and Linux. Node and the libraries are those of this machine.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface ContainerOptions {
  readonly root: string;
  /** Where the command starts, below the root. */
  readonly folder: string;
  readonly user: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Whether this process may start containers. */
export function mayStartContainers(): boolean {
  return process.getuid?.() === 0 && spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;
}

/** Puts what a base image has into a root folder: Node and a shell, what they are linked to, and folders to mount on. */
export function addBase(root: string): void {
  const shell = '/bin/sh';
  for (const [program, path] of [
    [process.execPath, '/usr/local/bin/node'],
    [shell, shell],
  ]) {
    const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    for (const [from, to] of [[program, path], ...libraries.map((library) => [library, library])]) {
      mkdirSync(join(root, dirname(to)), { recursive: true });
      cpSync(from, join(root, to), { dereference: true });
    }
  }
  for (const folder of ['proc', 'tmp']) mkdirSync(join(root, folder), { recursive: true });
}

/** Starts a command as the first process. `words[0]` is looked up in the image. */
export function startContainer({ root, folder, user, env }: ContainerOptions, words: readonly string[]): ChildProcess {
  const mount =
    'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/tmp"';
  const enter = `${mount} && exec chroot --userspec=${user}:${user} "$0" /bin/sh -c 'cd "$0" && exec "$@"' "$@"`;
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  return spawn('unshare', [...namespaces, 'sh', '-c', enter, root, folder, ...words], { env, stdio: 'inherit' });
}

/** Runs a command beside the first process. Returns its exit status. */
export async function runInContainer(
  container: ChildProcess,
  { root, folder, user, env }: ContainerOptions,
  words: readonly string[],
): Promise<number | null> {
  const first = await firstProcess(container);
  const enter = ['chroot', `--userspec=${user}:${user}`, root, '/bin/sh', '-c', 'cd "$0" && exec "$@"', folder];
  return spawnSync('nsenter', ['-t', String(first), '-m', '-p', ...enter, ...words], { env, stdio: 'inherit' }).status;
}

/** Returns the number that the first process has outside. */
export async function firstProcess({ pid }: ChildProcess): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.trim());
}
