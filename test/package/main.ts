/**
 * Uses the package as somebody does who has nothing but Node: packs it, runs it with `npx` in empty folders on several lines
 * of Node, and lets npm rehearse its publication. Needs the network. Linux x64 only.
 *
 *     npm run test:package [-- 20 22 24]
 */
import { execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { untilReady } from '../deploy/processes.ts';
import { unpackProject } from '../load/project/recorded-projects.ts';
import { nodeOfLine } from '../nodes/binaries.ts';
import { freePort } from '../support/cli.ts';

const root = join(import.meta.dirname, '../..');
const lines = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24'];
const folder = mkdtempSync(join(tmpdir(), 'lectern-package-'));
/** npx lies beside the program of npm. */
const npx = join(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())), 'npx-cli.js');

/** Paths of the recorded project, with what the bodies of their replies contain. */
const asked: [string, string][] = [
  ['/_health', ''],
  ['/_explorer', '<title>'],
  ['/api/rooms?populate=*', '"meta":{"pagination"'],
];

try {
  const [{ filename, size, files }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root, encoding: 'utf8' }),
  );
  console.log(`${filename}: ${(size / 1e6).toFixed(2)} MB, ${files.length} files`);
  for (const line of lines) await tryLine(line, `../${filename}`);
  execFileSync('npm', ['publish', '--dry-run', join(folder, filename)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  console.log('npm publish --dry-run: no error');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function tryLine(line: string, archive: string): Promise<void> {
  const isThisLine = process.versions.node.startsWith(`${line}.`);
  const node = isThisLine ? process.execPath : nodeOfLine(line);
  const empty = join(folder, `empty-${line}`);
  mkdirSync(empty);
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    // nothing of this machine's cache or of another line
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
  };
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
  const options = { cwd: empty, env, stdio };
  const words = [npx, '--yes', archive];
  execFileSync(node, [...words, 'init', 'content'], options);
  execFileSync(node, [...words, 'types', 'content'], options);
  for (const source of [join(empty, 'content'), unpackProject('museum')]) {
    const port = await freePort();
    const server = spawn(node, [...words, 'serve', source, '--port', String(port)], { ...options, detached: true });
    try {
      await untilReady(server, port);
      for (const [path, part] of source.endsWith('content') ? asked.slice(0, 2) : asked) {
        const reply = await fetch(`http://127.0.0.1:${port}${path}`);
        const body = await reply.text();
        if (!reply.ok || !body.includes(part))
          throw new Error(`Node ${line}, ${path}: ${reply.status} ${body.slice(0, 200)}`);
      }
    } finally {
      // the whole group: npx, the shell that it starts, and the server
      process.kill(-server.pid!, 'SIGTERM');
      await once(server, 'exit');
    }
  }
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  console.log(`Node ${version}: init, types, and serve of a snapshot and of a Strapi project`);
}
