/**
 * Loading that fails at any point ends with an error that names the location, and serves nothing partially.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { cpSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { open, SnapshotError } from '../../src/index.ts';
import { archiveOf } from '../fuzz/archive.ts';
import { exportSnapshot, type Files, jsonSnapshot } from '../fuzz/small-snapshots.ts';
import { cli, freePort } from '../support/cli.ts';
import { temporaryFolder } from '../support/folders.ts';
import { guideFolder } from '../support/guide.ts';

const folder = temporaryFolder();
const sources: Record<string, string> = {};

async function write(name: string, files: Files): Promise<string> {
  for (const [file, bytes] of files) {
    await mkdir(dirname(join(folder, name, file)), { recursive: true });
    await writeFile(join(folder, name, file), bytes);
  }
  return join(folder, name);
}

beforeAll(async () => {
  sources['a JSON snapshot'] = await write('json', jsonSnapshot());
  sources['an export'] = await write('export', exportSnapshot());
  const archive = await archiveOf(exportSnapshot());
  for (const [kind, name, bytes] of [
    ['an archive', 'export.tar', archive],
    ['a packed archive', 'export.tar.gz', gzipSync(archive)],
  ] as const) {
    sources[kind] = join(folder, name);
    writeFileSync(sources[kind], bytes);
  }
});

type Fault = 'EIO' | 'EACCES' | 'EMFILE' | 'short' | 'end';

const { promises } = fs;
const real = { createReadStream: fs.createReadStream, read: fs.read, openStream: fs.open };
const realPromises = {
  stat: promises.stat,
  readdir: promises.readdir,
  readFile: promises.readFile,
  open: promises.open,
};

/** Counts every call to the file system from now on, and breaks call number `at`. Returns the count so far. */
function breakCall(at: number, fault: Fault): () => number {
  let calls = 0;
  const isNow = () => calls++ === at;
  const systemError = () => Object.assign(new Error(`${fault}: broken on purpose`), { code: fault, syscall: 'read' });
  const isError = fault !== 'short' && fault !== 'end';
  const failing = <Call extends (...values: never[]) => Promise<unknown>>(call: Call) =>
    ((...values: never[]) => (isNow() && isError ? Promise.reject(systemError()) : call(...values))) as Call;
  // whole files and lists arrive at once, so a short read truncates them
  Object.assign(promises, {
    stat: failing(realPromises.stat as never),
    readdir: failing(realPromises.readdir as never),
    open: failing(realPromises.open as never),
    readFile: async (...values: Parameters<typeof promises.readFile>) => {
      const now = isNow();
      if (now && isError) throw systemError();
      const bytes = (await realPromises.readFile(...values)) as Buffer;
      return now ? bytes.subarray(0, fault === 'end' ? 0 : bytes.length - 1) : bytes;
    },
  });
  type Done = (error: Error | null, read?: number, buffer?: Buffer) => void;
  const streamFs = {
    close: fs.close,
    open: (path: string, flags: string, mode: number, done: (error: Error | null, file?: number) => void) =>
      isNow() && isError ? done(systemError()) : real.openStream(path, flags, mode, done),
    read: (file: number, buffer: Buffer, start: number, length: number, position: number, done: Done) => {
      if (!isNow()) return real.read(file, buffer, start, length, position, done as never);
      if (isError) return done(systemError());
      if (fault === 'end') return done(null, 0, buffer);
      real.read(file, buffer, start, Math.min(length, 3), position, done as never);
    },
  };
  fs.createReadStream = ((path: string, options: object) =>
    real.createReadStream(path, { ...options, fs: streamFs as never })) as typeof fs.createReadStream;
  syncBuiltinESMExports();
  return () => calls;
}

function mend(): void {
  Object.assign(promises, realPromises);
  fs.createReadStream = real.createReadStream;
  syncBuiltinESMExports();
}

describe('each call to the file system fails in turn', () => {
  afterEach(mend);
  const kinds = ['a JSON snapshot', 'an export', 'an archive', 'a packed archive'];
  const faults: Fault[] = ['EIO', 'EACCES', 'EMFILE', 'short', 'end'];

  test.each(kinds.flatMap((kind) => faults.map((fault) => [kind, fault] as const)))('%s: %s', async (kind, fault) => {
    const path = sources[kind];
    const counted = breakCall(-1, fault);
    const { version } = (await open(path)).summary;
    const calls = counted();
    expect(calls).toBeGreaterThan(8);
    let refused = 0;
    for (let at = 0; at < calls; at++) {
      breakCall(at, fault);
      try {
        // if it loads, it loads completely
        expect((await open(path)).summary.version).toBe(version);
      } catch (error) {
        if (!(error instanceof SnapshotError)) throw error;
        expect(error.count, `call ${at}`).toBeGreaterThan(0);
        expect(error.message).toMatch(/\.json|\.tar|json|export/);
        refused++;
      }
    }
    // a short read is followed by another one; every error ends loading
    if (fault !== 'short' && fault !== 'end') expect(refused).toBe(calls);
    mend();
    expect((await open(path)).summary.version).toBe(version);
  });
});

test.each(['an export', 'an archive', 'a JSON snapshot'])(
  'rejects %s that is replaced while it is read',
  async (kind) => {
    const path = join(folder, 'replaced');
    cpSync(sources[kind], path, { recursive: true });
    const file = {
      'an export': join(path, 'links/links_00001.jsonl'),
      'an archive': path,
      'a JSON snapshot': join(path, 'entries/note.json'),
    }[kind]!;
    let isTouched = false;
    fs.createReadStream = ((read: string, options: object) => {
      // loading has read the file's signature by now
      if (read === file && !isTouched) fs.utimesSync(file, 1, 1);
      isTouched ||= read === file;
      return real.createReadStream(read, options as never);
    }) as typeof fs.createReadStream;
    syncBuiltinESMExports();
    try {
      await expect(open(path)).rejects.toThrow('changed during the read');
    } finally {
      mend();
      rmSync(path, { recursive: true });
    }
  },
);

describe('the server process', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  function serve(
    port: number,
    snapshot: string,
    ...options: string[]
  ): { child: ChildProcess; exit: Promise<unknown[]>; text: () => string } {
    const child = spawn(process.execPath, [...options, cli, 'serve', snapshot, '--port', String(port)]);
    children.push(child);
    let text = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (part) => (text += part));
    return { child, exit: once(child, 'exit'), text: () => text };
  }

  const statusOf = async (port: number, path: string): Promise<number | null> =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => null,
    );

  /** A snapshot of some megabytes, which takes long enough to load for requests meanwhile. */
  async function large(): Promise<string> {
    const path = join(folder, 'large');
    cpSync(guideFolder, path, { recursive: true });
    const chefs = Array.from({ length: 60_000 }, (_, i) => ({
      documentId: `c${i}`,
      name: `Chef ${i} ${'x'.repeat(60)}`,
      bio: `bio ${i}`,
    }));
    writeFileSync(join(path, 'entries/chef.json'), JSON.stringify(chefs));
    rmSync(join(path, 'entries/restaurant.json'));
    rmSync(join(path, 'entries/article.json'));
    rmSync(join(path, 'entries/bookmark.json'));
    rmSync(join(path, 'entries/homepage.json'));
    rmSync(join(path, 'entries/licence.json'), { force: true });
    return path;
  }

  /** Requests content until the process has ended or is ready, and returns the statuses. */
  async function watch(
    port: number,
    exit: Promise<unknown[]>,
  ): Promise<{ statuses: Set<number | null>; isReady: boolean }> {
    const statuses = new Set<number | null>();
    let isOver = false;
    void exit.then(() => (isOver = true));
    while (!isOver) {
      const status = await statusOf(port, '/api/chefs');
      if (status === 200) return { statuses, isReady: true };
      statuses.add(status);
      await setTimeout(5);
    }
    return { statuses, isReady: false };
  }

  test('ends without serving anything if memory runs out during loading', async () => {
    const port = await freePort();
    const { exit, text } = serve(port, await large(), '--max-old-space-size=8');
    const { statuses, isReady } = await watch(port, exit);
    expect(isReady).toBe(false);
    expect([...statuses].filter((status) => status !== null && status !== 503)).toEqual([]);
    const [code, signal] = await exit;
    expect(code === 0 && signal === null).toBe(false);
    expect(text()).toMatch(/heap|memory/i);
  });

  test('leaves nothing behind when it is killed during loading, so that the next one becomes ready', async () => {
    const snapshot = await large();
    const port = await freePort();
    const killed = serve(port, snapshot);
    while ((await statusOf(port, '/_health')) === null) await setTimeout(5);
    expect([503, 200]).toContain(await statusOf(port, '/api/chefs'));
    killed.child.kill('SIGKILL');
    await killed.exit;
    expect(await statusOf(port, '/_health')).toBe(null);
    const { exit } = serve(port, snapshot);
    const { isReady, statuses } = await watch(port, exit);
    expect(isReady).toBe(true);
    expect([...statuses].filter((status) => status !== null && status !== 503)).toEqual([]);
    const { meta } = (await (await fetch(`http://127.0.0.1:${port}/api/chefs`)).json()) as {
      meta: { pagination: object };
    };
    expect(meta.pagination).toMatchObject({ total: 60_000 });
  });

  test('ends with an explanation if the snapshot is invalid', async () => {
    const { exit, text } = serve(await freePort(), join(folder, 'nowhere'));
    expect((await exit)[0]).toBe(1);
    expect(text()).toContain('cannot be read');
  });
});
