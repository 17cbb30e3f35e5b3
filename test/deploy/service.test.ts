/** The steps of docs/deployment.md for a service, in a folder in place of `/`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, pageAt, project } from '../documents/pages.ts';
import { freePort } from '../support/cli.ts';
import { untilReady } from './processes.ts';

/** The steps that change the system or build the program. The test has built it. */
const stubs = 'npm() { :; }\ngit() { :; }\nuseradd() { :; }\nsystemctl() { echo "systemctl $*"; }\n';

test('the steps install what the unit starts, and let only its group read the export', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'lectern-service-'));
  const root = join(scratch, 'root');
  const clone = join(scratch, 'clone');
  for (const folder of [clone, join(root, 'etc/systemd/system')]) mkdirSync(folder, { recursive: true });
  const built = ['package.json', 'node_modules', 'dist', 'deploy'];
  for (const name of built) symlinkSync(join(project, name), join(clone, name));
  cpSync(join(project, 'test/conformance/gazette/export.tar.gz'), join(clone, 'content.tar.gz'));
  const inRoot = (text: string) => text.replaceAll(/([ "])(\/(?:opt|srv|etc|var)\b)/g, `$1${root}$2`);
  /** Runs the code block of a page that has these words. */
  const runSteps = (path: string, words: string) => {
    const { text } = blocksOf(pageAt(path)).find((block) => block.text.includes(words))!;
    const steps = inRoot(text)
      .replaceAll('-g lectern', `-g ${process.getgid!()}`)
      .replaceAll('/usr/bin/node', process.execPath);
    return execFileSync('sh', ['-eu', '-c', stubs + steps], { cwd: clone, encoding: 'utf8' });
  };
  try {
    expect(runSteps('docs/deployment.md', 'useradd')).toBe('systemctl daemon-reload\nsystemctl enable --now lectern\n');
    const modeOf = (path: string) => (statSync(join(root, path)).mode & 0o777).toString(8);
    expect(modeOf('srv/lectern')).toBe('750');
    expect(modeOf('srv/lectern/snapshot')).toBe('640');
    expect(modeOf('etc/lectern/environment')).toBe('600');
    expect(readlinkSync(join(root, 'srv/lectern/snapshot'))).toBe('content-0.tar.gz');

    const unit = readFileSync(join(root, 'etc/systemd/system/lectern.service'), 'utf8');
    expect(unit).toMatch(/^User=lectern$/m);
    const [node, ...rest] = inRoot(/^ExecStart=(.*)$/m.exec(unit)![1]).split(' ');
    expect(node).toBe('/usr/bin/node');
    const serve = async (path: string) => {
      const [port, adminPort] = [await freePort(), await freePort()];
      const ports = ['--port', String(port), '--admin-port', String(adminPort)];
      const child = spawn(process.execPath, [...rest, ...ports], { cwd: '/', stdio: 'ignore' });
      try {
        await untilReady(child, adminPort);
        return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
      } finally {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        await exit;
      }
    };
    expect(await serve('/api/restaurants')).toBe(200);

    // a file that the next version no longer has
    writeFileSync(join(root, 'opt/lectern/left.js'), '');
    expect(runSteps('docs/deployment.md', 'git pull')).toContain('systemctl restart lectern\n');
    expect(existsSync(join(root, 'opt/lectern/left.js'))).toBe(false);
    expect(existsSync(join(root, 'opt/lectern.old/left.js'))).toBe(true);
    expect(await serve('/api/restaurants')).toBe(200);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
