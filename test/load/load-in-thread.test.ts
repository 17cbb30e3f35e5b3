import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { Content } from '../../src/content/content.ts';
import { canShareMemory } from '../../src/core/memory/allocator.ts';
import { transferList } from '../../src/load/image/describe-content.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { attachSnapshot, describeSnapshot } from '../../src/load/thread/described-snapshot.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { apiToken, secrets } from '../support/api-tokens.ts';
import { answersOf, everyUrl } from '../support/every-url.ts';
import { temporaryFolder } from '../support/folders.ts';
import { guideFolder } from '../support/guide.ts';
import { makeImageFolder, writeImageOf } from '../support/images.ts';

makeImageFolder();

/** Threads run built code only. What they send is plain data, which the source attaches as well. */
const built = new URL('../../dist-bundle/load/thread/load-in-thread.js', import.meta.url).href;
let loadInThread: typeof import('../../src/load/thread/load-in-thread.ts').loadInThread;
beforeAll(async () => {
  ({ loadInThread } = await import(/* @vite-ignore */ built));
});

function contentOf(loaded: LoadedSnapshot): Content {
  return new Content(loaded, readOptions({ public: true }), 0);
}

describe.each<[string, () => Promise<string>]>([
  ['a folder', async () => guideFolder],
  ['an export', async () => gazetteExport],
  ['an image', async () => (await writeImageOf(guideFolder)).path],
])('%s that a thread loads', (_, makeSource) => {
  let source: string;
  beforeAll(async () => {
    source = await makeSource();
  });

  test.each(['document', 'strapi'] as const)('answers as one loaded here, in the dialect %s', async (dialect) => {
    const here = await loadSnapshot(source, { dialect });
    const moved = attachSnapshot(await loadInThread(source, { dialect, isShared: false }));
    const urls = everyUrl(here.store);
    expect(await answersOf(contentOf(moved), urls)).toEqual(await answersOf(contentOf(here), urls));
  });

  test('keeps everything besides its store', async () => {
    const withoutStore = ({ store, types, ...rest }: LoadedSnapshot) => ({ digest: store.contentDigest, ...rest });
    const moved = attachSnapshot(await loadInThread(source, { isShared: false }));
    expect(withoutStore(moved)).toEqual(withoutStore(await loadSnapshot(source)));
  });
});

test('secrets, API tokens, and that files are replaced reach another thread', async () => {
  const credentials = { apiTokens: [apiToken('all')], secrets, replacesFiles: true };
  const described = describeSnapshot({ ...(await loadSnapshot(guideFolder)), ...credentials });
  expect(attachSnapshot(structuredClone(described))).toMatchObject(credentials);
});

test.each([guideFolder, gazetteExport])('all memory of the store of %s can be transferred', async (source) => {
  const described = describeSnapshot(await loadSnapshot(source));
  structuredClone(described, { transfer: transferList(described.content) });
  expect(described.content.buffers.filter(({ byteLength }) => byteLength > 0)).toEqual([]);
});

test('a snapshot for several threads is in shared memory if Node can share it', async () => {
  const { content } = await loadInThread(guideFolder, { isShared: true });
  const kinds = new Set(content.buffers.map((buffer) => buffer.constructor.name));
  expect([...kinds]).toEqual([canShareMemory ? 'SharedArrayBuffer' : 'ArrayBuffer']);
});

test('problems of the snapshot are those of a load here', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'snapshot.json'), '{"contents": 1}');
  const problemsOf = (load: Promise<unknown>) =>
    load.then(
      () => null,
      ({ name, problems, count, message }) => ({ name, problems, count, message }),
    );
  const expected = await problemsOf(loadSnapshot(folder));
  expect(expected).toMatchObject({ name: 'SnapshotError' });
  expect(await problemsOf(loadInThread(folder, { isShared: false }))).toEqual(expected);
});

/** Writes a snapshot whose store has more memory than one message. */
function writeNotes(count: number): string {
  const path = join(temporaryFolder(), 'notes.json');
  const notes = Array.from({ length: count }, (_, i) => ({ documentId: `document ${i}`, name: `name ${i}` }));
  writeFileSync(path, JSON.stringify({ notes }));
  return path;
}

test('a snapshot that takes several messages arrives whole', async () => {
  const path = writeNotes(150_000);
  const described = await loadInThread(path, { isShared: false });
  const bytes = described.content.buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(bytes).toBeGreaterThan(2 ** 25);
  const content = contentOf(attachSnapshot(described));
  const { data } = content.find('notes', { filters: { name: { $endsWith: '9999' } }, pagination: { pageSize: 100 } });
  const names = data.map(({ name }: { name: string }) => name);
  expect(names).toEqual(Array.from({ length: 15 }, (_, i) => `name ${i === 0 ? '' : i}9999`));
});

describe('a thread that ends early', () => {
  /** Loads a source with flags of Node, and returns the problem. */
  const problemOf = (flags: string[], source: string) =>
    new Promise<string>((resolve) => {
      const code =
        `const { loadInThread } = await import(${JSON.stringify(built)});` +
        `await loadInThread(${JSON.stringify(source)}, { isShared: false }).catch(({ problems }) => console.log(problems[0]));`;
      const script = join(temporaryFolder(), 'load.mjs');
      writeFileSync(script, code);
      execFile(process.execPath, [...flags, script], (_, stdout) => resolve(stdout.trim()));
    });

  test('because it needs more heap than allowed is a problem that names the limit', async () => {
    // Node ends the whole process if a single large piece does not fit, so the pieces are small
    const fills = fileURLToPath(new URL('../support/fill-heap-in-threads.mjs', import.meta.url));
    const problem = await problemOf(['--max-old-space-size=32', '--import', fills], guideFolder);
    expect(problem).toBe(
      `${guideFolder}: loading it takes more heap than Node may use. ` +
        'Raise the limit with NODE_OPTIONS=--max-old-space-size=MEGABYTES',
    );
  });

  test('for another reason is a problem with its exit code', async () => {
    const exits = fileURLToPath(new URL('../support/exit-in-threads.mjs', import.meta.url));
    expect(await problemOf(['--import', exits], guideFolder)).toBe(
      `${guideFolder}: the thread that loads it ended early, with code 3`,
    );
  });
});

describe('a thread that is kept', () => {
  test('loads one snapshot after the other, and goes on after one that is refused', async () => {
    const { LoadThread } = await import(/* @vite-ignore */ built);
    const thread: import('../../src/load/thread/load-in-thread.ts').LoadThread = new LoadThread();
    thread.start();
    const versionOf = async (source: string) => {
      const loaded = attachSnapshot(await thread.load(source, { isShared: false }));
      return loaded.store.contentDigest;
    };
    const expected = (await loadSnapshot(guideFolder)).store.contentDigest;
    const worker = thread.start();
    expect(await versionOf(guideFolder)).toBe(expected);
    await expect(versionOf(join(temporaryFolder(), 'nothing'))).rejects.toThrow('cannot be read');
    expect(await versionOf(gazetteExport)).toBe((await loadSnapshot(gazetteExport)).store.contentDigest);
    expect(await versionOf(guideFolder)).toBe(expected);
    expect(thread.start()).toBe(worker);
    // the next load starts another one
    await thread.end();
    expect(await versionOf(guideFolder)).toBe(expected);
    expect(thread.start()).not.toBe(worker);
    await thread.end();
  });

  test('does not keep the process alive between loads, but during one', async () => {
    const code =
      `const { LoadThread } = await import(${JSON.stringify(built)});` +
      `const thread = new LoadThread(); thread.start();` +
      `await thread.load(${JSON.stringify(guideFolder)}, { isShared: false }); console.log('loaded');`;
    const script = join(temporaryFolder(), 'keep.mjs');
    writeFileSync(script, code);
    const printed = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [script], (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });
    expect(printed).toBe('loaded\n');
  });
});
