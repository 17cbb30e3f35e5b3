/** deploy/new-content.sh, with a server that this test restarts in place of systemd. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blocksOf, codesIn, pageAt, project, rowsBelow } from '../documents/pages.ts';
import { cli, freePort } from '../support/cli.ts';
import { closeServers, listen } from '../support/http.ts';
import { untilReady } from './processes.ts';

const exported = (name: string) => join(project, 'test/conformance', name, 'export.tar.gz');

let scratch: string;
let folder: string;
let port: number;
let variables: Record<string, string>;
let server: ChildProcess | null = null;

/** Starts the server anew. Does not wait until it is ready. */
async function restart(): Promise<void> {
  await stop();
  const args = [cli, 'serve', join(folder, 'snapshot'), '--config', join(scratch, 'config.json')];
  server = spawn(process.execPath, args, { stdio: 'ignore' });
}

async function stop(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  server.kill('SIGTERM');
  await exit;
}

/** Makes a folder with `content-0.tar.gz` and a supervisor of the server. */
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'lectern-content-'));
  folder = join(scratch, 'srv');
  mkdirSync(folder);
  cpSync(exported('gazette'), join(folder, 'content-0.tar.gz'));
  symlinkSync('content-0.tar.gz', join(folder, 'snapshot'));
  port = await freePort();
  writeFileSync(join(scratch, 'config.json'), JSON.stringify({ port, cacheDir: join(scratch, 'cache') }));
  const supervisor = await listen((_request, response) => void restart().then(() => response.end()));
  variables = {
    CONTENT_FOLDER: folder,
    CONTENT_GROUP: String(process.getgid!()),
    CONTENT_LECTERN: `${process.execPath} ${cli}`,
    CONTENT_CONFIG: join(scratch, 'config.json'),
    CONTENT_RESTART: `curl --silent --fail http://127.0.0.1:${supervisor}/`,
    CONTENT_READY: `http://127.0.0.1:${port}/_ready`,
    CONTENT_LIMIT: '60',
  };
});

afterEach(async () => {
  closeServers();
  await stop();
  rmSync(scratch, { recursive: true });
});

/** Runs the script. A variable that is undefined has its default. */
function newContent(archive: string | null, others: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env.PATH, ...variables, ...others };
    const child = execFile(
      join(project, 'deploy/new-content.sh'),
      archive === null ? [] : [archive],
      { env },
      (_error, stdout, stderr) => resolve({ code: child.exitCode!, stdout, stderr }),
    );
  });
}

/** Serves the old content, and returns its digest. */
async function serveOld(): Promise<string | null> {
  await restart();
  await untilReady(server!, port);
  return snapshotServed();
}

async function snapshotServed(): Promise<string | null> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/articles`);
  return answer.headers.get('X-Lectern-Snapshot');
}

test('serves a new export, readable only by the group, and keeps the three newest snapshots', async () => {
  for (const name of ['1', '2', '3']) writeFileSync(join(folder, `content-${name}.tar.gz`), '');
  const before = await serveOld();
  const { code, stdout, stderr } = await newContent(exported('almanac'));
  expect(stderr).not.toContain('new-content');
  expect(code).toBe(0);
  const served = readlinkSync(join(folder, 'snapshot'));
  expect(served).toMatch(/^content-\d{8}T\d{6}Z\.tar\.gz$/);
  expect(stdout).toContain(`new-content: ${served} is served`);
  expect(statSync(join(folder, served)).mode & 0o777).toBe(0o640);
  const after = await snapshotServed();
  expect(after).not.toBeNull();
  expect(after).not.toBe(before);
  expect(readdirSync(folder).sort()).toEqual(['content-2.tar.gz', 'content-3.tar.gz', served, 'snapshot'].sort());
});

describe('a snapshot that is no archive', () => {
  const starter = join(project, 'data/starter');
  const pictureStatus = async () => (await fetch(`http://127.0.0.1:${port}/uploads/cat.png`)).status;

  /** Makes a JSON snapshot with a picture in a folder. */
  function jsonFolder(): string {
    const path = join(scratch, 'new');
    cpSync(starter, path, { recursive: true });
    mkdirSync(join(path, 'uploads'));
    writeFileSync(join(path, 'uploads/cat.png'), 'a picture');
    return path;
  }

  /** Builds an image, whose picture is in the folder beside it. */
  function image(): string {
    const path = join(scratch, 'new.lectern');
    execFileSync(process.execPath, [cli, 'build', jsonFolder(), '--out', path], { stdio: 'ignore' });
    return path;
  }

  function jsonFile(): string {
    const path = join(scratch, 'db.json');
    writeFileSync(path, JSON.stringify({ articles: [{ id: 1, title: 'One' }] }));
    return path;
  }

  test.each<[string, () => string, RegExp, number]>([
    ['a folder', jsonFolder, /^content-\w+$/, 200],
    ['a JSON file', jsonFile, /^content-\w+\.json$/, 404],
    ['a prebuilt image', image, /^content-\w+\.lectern$/, 200],
  ])('can be %s', async (_, make, name, picture) => {
    const { code, stderr } = await newContent(make());
    expect(stderr).not.toContain('new-content');
    expect(code).toBe(0);
    expect(readlinkSync(join(folder, 'snapshot'))).toMatch(name);
    expect(await pictureStatus()).toBe(picture);
    expect(statSync(join(folder, 'snapshot')).mode & 0o007).toBe(0);
  });

  test('brings the pictures of an image back with it, and leaves none for the snapshot after it', async () => {
    expect((await newContent(image())).code).toBe(0);
    const served = ['snapshot', 'snapshot.uploads'].map((name) => readlinkSync(join(folder, name)));
    const wrong = await listen((_request, response) => response.writeHead(404).end());
    const others = { CONTENT_READY: `http://127.0.0.1:${wrong}/_ready`, CONTENT_LIMIT: '1' };
    // the name of new content has the time in seconds
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await newContent(exported('almanac'), others)).code).toBe(1);
    expect(['snapshot', 'snapshot.uploads'].map((name) => readlinkSync(join(folder, name)))).toEqual(served);
    await untilReady(server!, port);
    expect(await pictureStatus()).toBe(200);
    expect((await newContent(exported('almanac'))).code).toBe(0);
    expect(existsSync(join(folder, 'snapshot.uploads'))).toBe(false);
    expect(readdirSync(folder)).toContain(served[1]);
  });

  test('is removed with its pictures after three newer ones', async () => {
    for (const name of ['1.lectern', '1.uploads', '2.json', '3']) mkdirSync(join(folder, `content-${name}`));
    expect((await newContent(jsonFile())).code).toBe(0);
    const served = readlinkSync(join(folder, 'snapshot'));
    expect(readdirSync(folder).sort()).toEqual(['content-2.json', 'content-3', served, 'snapshot'].sort());
  });
});

test('refuses an export with errors before anything is changed', async () => {
  const before = await serveOld();
  writeFileSync(join(scratch, 'broken.tar.gz'), 'no archive');
  const { code, stderr } = await newContent(join(scratch, 'broken.tar.gz'));
  expect(code).toBe(1);
  expect(stderr).toContain('the new content has errors; the old content stays');
  expect(readdirSync(folder).sort()).toEqual(['content-0.tar.gz', 'snapshot']);
  expect(await snapshotServed()).toBe(before);
});

test('goes back to the old snapshot if the server does not get ready', async () => {
  const before = await serveOld();
  const wrong = await listen((_request, response) => response.writeHead(404).end());
  const CONTENT_READY = `http://127.0.0.1:${wrong}/_ready`;
  const { code, stderr } = await newContent(exported('almanac'), { CONTENT_READY, CONTENT_LIMIT: '1' });
  expect(code).toBe(1);
  expect(stderr).toContain(`within 1 s: last status of ${CONTENT_READY}: 404; content-0.tar.gz is back`);
  expect(readdirSync(folder).sort()).toEqual(['content-0.tar.gz', 'snapshot']);
  expect(readlinkSync(join(folder, 'snapshot'))).toBe('content-0.tar.gz');
  await untilReady(server!, port);
  expect(await snapshotServed()).toBe(before);
});

test('ends at the limit if the server hangs', async () => {
  const silent = `http://127.0.0.1:${await listen(() => {})}/_ready`;
  const begun = Date.now();
  const hung = await newContent(exported('almanac'), { CONTENT_READY: silent, CONTENT_LIMIT: '2' });
  expect(hung.stderr).toContain(`last status of ${silent}: no answer; content-0.tar.gz is back`);
  expect(Date.now() - begun).toBeLessThan(30_000);
});

test('says if the restart fails', async () => {
  const { code, stderr } = await newContent(exported('almanac'), { CONTENT_RESTART: 'false' });
  expect(code).toBe(1);
  expect(stderr).toContain('"false" failed; content-0.tar.gz is back');
});

test('prints its usage without a snapshot', async () => {
  const { code, stderr } = await newContent(null);
  expect([code, stderr]).toEqual([1, 'new-content: usage: new-content.sh SNAPSHOT\n']);
});

test('works with a container and an admin port, by the command of docs/new-content.md', async () => {
  const adminPort = await freePort();
  const config = { port, adminPort, cacheDir: join(scratch, 'cache') };
  writeFileSync(join(scratch, 'config.json'), JSON.stringify(config));
  await restart();
  await untilReady(server!, adminPort);
  const before = await snapshotServed();
  // runs the program of the container image here, and restarts the server of this test
  const docker = `#!/bin/sh\ncase $1 in\nrestart) ${variables.CONTENT_RESTART} ;;\nrun) while [ "$1" != lectern ]; do shift; done; shift; ${variables.CONTENT_LECTERN} "$@" ;;\nesac\n`;
  writeFileSync(join(scratch, 'docker'), docker, { mode: 0o755 });
  const { text } = blocksOf(pageAt('docs/new-content.md')).find((block) => block.text.startsWith('env '))!;
  const ofPage = Array.from(text.matchAll(/(CONTENT_\w+)=(?:'([^']*)'|(\S+))/g), ([, name, quoted, word]) => [
    name,
    quoted ?? word,
  ]);
  const { code, stdout, stderr } = await newContent(exported('almanac'), {
    ...Object.fromEntries(ofPage),
    // this test may not give files to the group 1000
    CONTENT_GROUP: variables.CONTENT_GROUP,
    CONTENT_READY: `http://127.0.0.1:${adminPort}/_ready`,
    PATH: `${scratch}:${process.env.PATH}`,
  });
  expect(stderr).not.toContain('new-content');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^new-content: \S+ is served$/m);
  expect(await snapshotServed()).not.toBe(before);
});

test('refuses to replace an archive that is no link', async () => {
  rmSync(join(folder, 'snapshot'));
  cpSync(exported('gazette'), join(folder, 'snapshot'));
  const { code, stderr } = await newContent(exported('almanac'));
  expect(code).toBe(1);
  expect(stderr).toContain('is not a link');
  expect(existsSync(join(folder, 'snapshot'))).toBe(true);
});

test('has the variables and defaults that docs/new-content.md lists', () => {
  const script = readFileSync(join(project, 'deploy/new-content.sh'), 'utf8');
  const defaults = Array.from(script.matchAll(/\$\{(CONTENT_\w+):-([^}]*)\}/g), ([, name, value]) => [name, value]);
  const rows = rowsBelow(pageAt('docs/new-content.md'), '## The steps').filter(([name]) => name !== 'variable');
  expect(rows.map(([name, value]) => [name, value].map((cell) => codesIn(cell)[0]))).toEqual(defaults);
});
