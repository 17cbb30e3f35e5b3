import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { sourcePath } from '../../src/follow/watch/source-path.ts';
import { sourceSignature } from '../../src/follow/watch/source-signature.ts';
import { SourceWatcher } from '../../src/follow/watch/source-watcher.ts';
import { createLog } from '../../src/server/log/log.ts';
import { temporaryFolder } from '../support/folders.ts';
import { waitFor } from '../support/wait.ts';

const watchers: SourceWatcher[] = [];
afterEach(() => Promise.all(watchers.splice(0).map((watcher) => watcher.close())));

/** Writes a file, with the folders on the way. */
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Makes a link, in one step if there is one already. */
function link(path: string, target: string): void {
  symlinkSync(target, `${path}.new`);
  renameSync(`${path}.new`, path);
}

/** Watches a source. The load fails as often as `failures` says. */
async function watching(source: string, { failures = 0, firstPause = 20, onReload = () => {} } = {}) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  /** For each attempt, whether it was the final one. */
  const attempts: boolean[] = [];
  const reload = async (isFinal: boolean) => {
    attempts.push(isFinal);
    onReload();
    if (attempts.length <= failures) throw new Error('half of it is missing');
  };
  const loaded = await sourceSignature(source);
  const watcher = new SourceWatcher(source, { loaded, reload, log, settle: 20, retries: [firstPause, 20, 20] });
  watchers.push(watcher);
  await watcher.start();
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return {
    lines,
    attempts,
    attempted: (count: number) => until(() => attempts.length >= count),
    logged: (text: string) => until(() => lines.some((line) => line.includes(text))),
  };
}

describe('a file that is watched is loaded again', () => {
  const fileIn = (folder: string) => {
    const path = join(folder, 'content.json');
    write(path, '1');
    return path;
  };

  test('when it is written', async () => {
    const path = fileIn(temporaryFolder());
    const { attempted } = await watching(path);
    write(path, '12');
    await attempted(1);
    write(path, '123');
    await attempted(2);
  });

  test('when another takes its place, even with its size and time', async () => {
    const folder = temporaryFolder();
    const path = fileIn(folder);
    const time = new Date(2026, 0, 1);
    utimesSync(path, time, time);
    const { attempted } = await watching(path);
    const other = join(folder, 'other.json');
    write(other, '2');
    utimesSync(other, time, time);
    renameSync(other, path);
    await attempted(1);
  });

  test('when its folder is replaced by another', async () => {
    const outer = temporaryFolder();
    const path = fileIn(join(outer, 'site'));
    const { attempted } = await watching(path);
    write(join(outer, 'next/content.json'), '2');
    renameSync(join(outer, 'site'), join(outer, 'old'));
    renameSync(join(outer, 'next'), join(outer, 'site'));
    await attempted(1);
    write(path, '33');
    await attempted(2);
  });

  test('when it returns after its folder was removed', async () => {
    const folder = join(temporaryFolder(), 'site');
    const path = fileIn(folder);
    const { attempted, logged, lines } = await watching(path);
    rmSync(folder, { recursive: true });
    await logged('is gone');
    write(path, '22');
    await attempted(1);
    expect(lines).toEqual([`${path} is gone: the old content is served until it is back`, `${path} is back`]);
  });

  test('when a link on the way moves, and then when the new target is written', async () => {
    const folder = temporaryFolder();
    for (const release of ['1', '2']) write(join(folder, `releases/${release}/content.json`), release);
    const current = join(folder, 'current');
    link(current, 'releases/1');
    const { attempted, attempts } = await watching(join(current, 'content.json'));
    link(current, 'releases/2');
    await attempted(1);
    // no longer on the way
    write(join(folder, 'releases/1/content.json'), '11');
    write(join(folder, 'releases/2/content.json'), '22');
    await attempted(2);
    expect(attempts).toHaveLength(2);
  });

  test('when a ConfigMap is updated', async () => {
    const folder = temporaryFolder();
    write(join(folder, '..2026_1/content.json'), '1');
    link(join(folder, '..data'), '..2026_1');
    link(join(folder, 'content.json'), '..data/content.json');
    const { attempted } = await watching(join(folder, 'content.json'));
    for (const version of [2, 3]) {
      write(join(folder, `..2026_${version}/content.json`), String(version));
      link(join(folder, '..data'), `..2026_${version}`);
      rmSync(join(folder, `..2026_${version - 1}`), { recursive: true });
      await attempted(version - 1);
    }
  });

  test('but not when a file beside it changes, or it is written as it was', async () => {
    const folder = temporaryFolder();
    const path = fileIn(folder);
    const time = new Date(2026, 0, 1);
    utimesSync(path, time, time);
    const { attempted, attempts } = await watching(path);
    write(join(folder, 'other.json'), '1');
    writeFileSync(path, '1');
    utimesSync(path, time, time);
    write(path, '22');
    await attempted(1);
    expect(attempts).toHaveLength(1);
  });
});

describe('a folder that is watched is loaded again', () => {
  const folderIn = (outer: string) => {
    write(join(outer, 'site/entries/article.json'), '1');
    return join(outer, 'site');
  };

  test('when a file in it is written, added or removed', async () => {
    const folder = folderIn(temporaryFolder());
    const { attempted } = await watching(folder);
    write(join(folder, 'entries/article.json'), '22');
    await attempted(1);
    write(join(folder, 'components/seo.json'), '1');
    await attempted(2);
    unlinkSync(join(folder, 'components/seo.json'));
    await attempted(3);
  });

  test('when the link to it moves', async () => {
    const outer = temporaryFolder();
    folderIn(join(outer, '1'));
    folderIn(join(outer, '2'));
    const current = join(outer, 'current');
    link(current, '1/site');
    const { attempted } = await watching(current);
    link(current, '2/site');
    await attempted(1);
    write(join(outer, '2/site/entries/article.json'), '22');
    await attempted(2);
  });

  test('but not when a hidden or an uploaded file changes', async () => {
    const folder = folderIn(temporaryFolder());
    const { attempted, attempts } = await watching(folder);
    write(join(folder, '.git/index'), '1');
    write(join(folder, 'assets/uploads/cat.png'), '1');
    write(join(folder, 'entries/article.json'), '22');
    await attempted(1);
    expect(attempts).toHaveLength(1);
  });
});

test('a watcher that is closed during a check watches nothing any more', async () => {
  const count = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
  const folder = temporaryFolder();
  for (const release of ['1', '2']) write(join(folder, release, 'content.json'), release);
  link(join(folder, 'current'), '1');
  const source = join(folder, 'current/content.json');
  // those of the test before
  await waitFor(() => expect(count()).toBe(0));
  const closed = new Promise((resolve) => {
    // the way to the source is followed when the load has ended
    const onReload = () => setImmediate(() => resolve(watchers.pop()!.close()));
    void watching(source, { onReload }).then(() => link(join(folder, 'current'), '2'));
  });
  await closed;
  for (let i = 0; i < 3; i++) await sourcePath(source);
  expect(count()).toBe(0);
});

describe('a source that does not load', () => {
  const prepare = async (failures: number, firstPause?: number) => {
    const path = join(temporaryFolder(), 'content.json');
    write(path, '1');
    return { path, ...(await watching(path, { failures, firstPause })) };
  };

  test('is tried again until it loads', async () => {
    const { path, attempted, attempts } = await prepare(2);
    write(path, '22');
    await attempted(3);
    write(path, '333');
    await attempted(4);
    expect(attempts).toEqual([false, false, false, false]);
  });

  test('is given up after four attempts, until it changes', async () => {
    const { path, attempted, attempts } = await prepare(4);
    write(path, '22');
    await attempted(4);
    write(path, '333');
    await attempted(5);
    expect(attempts).toEqual([false, false, false, true, false]);
  });

  test('is tried from the start when it changes meanwhile', async () => {
    const { path, attempted, attempts } = await prepare(3, 400);
    write(path, '22');
    await attempted(1);
    write(path, '333');
    await attempted(4);
    expect(attempts).toEqual([false, false, false, false]);
  });
});

test.each([
  ['a missing file', 'none.json'],
  ['a path through a file', 'content.json/none'],
])('the signature of %s is null', async (_, name) => {
  const folder = temporaryFolder();
  write(join(folder, 'content.json'), '1');
  expect(await sourceSignature(join(folder, name))).toBeNull();
});

test('the signature of links that lead in a circle says that they cannot be read', async () => {
  const folder = temporaryFolder();
  symlinkSync('b', join(folder, 'a'));
  symlinkSync('a', join(folder, 'b'));
  expect(await sourceSignature(join(folder, 'a'))).toBe('unreadable: ELOOP');
  await watching(join(folder, 'a'));
});
