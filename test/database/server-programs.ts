/** The programs of the database servers that tests start, and the user that they run as. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Installs a Debian package, unless the path exists that it brings. */
export function installPackage(name: string, path: string): void {
  if (existsSync(path)) return;
  execFileSync('apt-get', ['update'], { stdio: 'ignore' });
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['install', '-y', name], { stdio: 'ignore', env });
}

/**
 * Returns the user that a package makes for its server, or `nobody` where the programs of the server come from elsewhere.
 * Undefined where this process may not become another user.
 */
export function unprivilegedUser(name: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string, of: string) =>
    Number(execFileSync('id', [flag, of], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u', name), gid: id('-g', name) };
  } catch {
    return { uid: id('-u', 'nobody'), gid: id('-g', 'nobody') };
  }
}
