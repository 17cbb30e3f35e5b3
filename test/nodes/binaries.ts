import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Returns the path of the program of a line of Node, such as "22". Installs the binaries of `package.json` once. Linux x64 only. */
export function nodeOfLine(line: string): string {
  const path = join(install(), `node-${line}/bin/node`);
  if (!existsSync(path)) throw new Error(`test/nodes/package.json has no Node ${line}.`);
  return path;
}

/** Installs the binaries unless this has been done. Returns the folder of the packages. */
function install(): string {
  const folder = join(root, 'node_modules/.cache/nodes');
  const lock = 'package-lock.json';
  const wanted = readFileSync(join(import.meta.dirname, lock));
  const done = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(done) || !existsSync(join(folder, lock)) || !readFileSync(join(folder, lock)).equals(wanted)) {
    mkdirSync(folder, { recursive: true });
    for (const file of ['package.json', lock]) copyFileSync(join(import.meta.dirname, file), join(folder, file));
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', ['ci', ...flags], { cwd: folder, stdio: 'inherit' });
  }
  return join(folder, 'node_modules');
}
