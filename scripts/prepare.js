/**
 * Builds dist/ whenever npm prepares the package: after `npm ci` in a clone, before `npm pack`, and when the package is
 * installed from git. Does nothing where an install leaves the compiler or the sources out.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';

const isPacked = ['pack', 'publish'].includes(process.env.npm_command ?? '');

if (existsSync('src')) {
  // an archive without dist/ would be of no use to anyone, so packing a fresh clone installs the compiler first
  if (isPacked && !hasCompiler()) npm('ci', '--ignore-scripts', '--include=dev', '--no-dry-run', '--no-audit');
  if (hasCompiler()) {
    // files of an older build would be packed too
    rmSync('dist', { recursive: true, force: true });
    npm('run', '--silent', 'build');
  } else console.error('lectern: dist/ is not built, because this install leaves out TypeScript (a dev dependency).');
}

function hasCompiler() {
  try {
    createRequire(import.meta.url).resolve('typescript/package.json');
    return true;
  } catch {
    return false;
  }
}

/** Runs npm. Its output goes to stderr: stdout belongs to `npm pack`, which prints the archive's name there. */
function npm(...args) {
  execFileSync('npm', args, { stdio: ['ignore', process.stderr, process.stderr], shell: process.platform === 'win32' });
}
