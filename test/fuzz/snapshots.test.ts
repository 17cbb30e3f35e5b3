import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { loadError } from '../support/broken.ts';
import { temporaryFolder } from '../support/folders.ts';
import { archiveOf } from './archive.ts';
import { exportSnapshot } from './small-snapshots.ts';
import { runSnapshots } from './snapshot-campaign.ts';

// in parts, as each has the time limit of a test
test.each([1, 101, 201, 301, 401])(
  '100 broken snapshots from seed %i are rejected with a location or loaded completely',
  async (seed) => {
    const outcome = await runSnapshots(seed, 100);
    expect(outcome.failures.join('\n')).toBe('');
    expect(outcome.loaded + outcome.refused).toBe(100);
    expect(outcome.refused).toBeGreaterThan(40);
    expect(outcome.loaded).toBeGreaterThan(10);
  },
);

test.each(['left', 'right'])('a link whose %s end has no type is reported with its line', async (end) => {
  const files = exportSnapshot();
  const line = files.get('links/links_00001.jsonl')!.toString().split('\n')[0];
  const link = JSON.parse(line);
  delete link[end].type;
  files.set('links/links_00002.jsonl', Buffer.from(JSON.stringify(link)));
  const folder = temporaryFolder();
  const path = join(folder, 'export.tar');
  writeFileSync(path, await archiveOf(files));
  const { problems } = await loadError(path);
  expect(problems).toEqual([expect.stringMatching(/^links\/links_00002\.jsonl:1: expected a link with/)]);
});

test.each([
  ['info', { singularName: 5 }],
  ['options', { privateAttributes: 'secret' }],
  ['attributes', null],
])('a type whose %s is of the wrong kind is reported with its line', async (key, value) => {
  const files = exportSnapshot();
  const type = JSON.parse(files.get('schemas/schemas_00001.jsonl')!.toString().split('\n')[0]);
  files.set('schemas/schemas_00002.jsonl', Buffer.from(JSON.stringify({ ...type, uid: 'api::x.x', [key]: value })));
  const folder = temporaryFolder();
  const path = join(folder, 'export.tar');
  writeFileSync(path, await archiveOf(files));
  const { problems } = await loadError(path);
  expect(problems).toEqual([expect.stringContaining(`schemas/schemas_00002.jsonl:1: ${key}`)]);
});

describe('hostile archives', () => {
  const folder = temporaryFolder();

  /**
   * Loads a snapshot in a process of its own with a small heap, and gives its error and its peak of memory in bytes.
   */
  function load(path: string): { message: string; peak: number } {
    const code = `
      const { open } = await import(${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)});
      const message = await open(process.argv[1]).then(() => 'loaded', (error) => error.message);
      console.log(JSON.stringify({ message, peak: process.resourceUsage().maxRSS * 1024 }));`;
    const options = ['--max-old-space-size=128', '--input-type=module', '-e', code, path];
    return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
  }

  async function packed(
    name: string,
    write: (archive: ReturnType<typeof pack>) => Promise<void> | void,
  ): Promise<string> {
    const path = join(folder, name);
    const archive = pack();
    const file = createWriteStream(path);
    archive.pipe(createGzip({ level: 1 })).pipe(file);
    await write(archive);
    archive.finalize();
    await once(file, 'close');
    return path;
  }

  test.each([
    ['schemas', 0x20, /line\.tar\.gz, schemas\/schemas_00001\.jsonl: .* take more than 67108864 bytes/],
    ['entities', 0x61, /entities_00001\.jsonl.*line 1 is larger than/],
  ])('a line of 300 megabytes in the %s of a small archive is rejected in bounded memory', async (stage, byte, expected) => {
    const path = await packed('line.tar.gz', async (archive) => {
      const schema = { uid: 'api::a.a', modelType: 'contentType', kind: 'collectionType', attributes: {} };
      archive.entry({ name: 'schemas/schemas_00000.jsonl' }, `${JSON.stringify(schema)}\n`);
      const bytes = 300 * 2 ** 20;
      const entry = archive.entry({ name: `${stage}/${stage}_00001.jsonl`, size: bytes });
      const piece = Buffer.alloc(2 ** 20, byte);
      for (let written = 0; written < bytes; written += piece.length) {
        if (!entry.write(piece)) await once(entry, 'drain');
      }
      entry.end(Buffer.alloc(0));
      await once(entry, 'finish');
    });
    const { message, peak } = load(path);
    expect(message).toMatch(expected);
    expect(peak).toBeLessThan(512 * 2 ** 20);
  });

  test('20,000 tiny files are rejected in bounded memory', async () => {
    const path = await packed('tiny.tar.gz', async (archive) => {
      for (let i = 0; i < 20_000; i++) {
        archive.entry({ name: `assets/${i}` }, 'x');
        if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const { message, peak } = load(path);
    expect(message).toContain('not a Strapi export');
    expect(peak).toBeLessThan(300 * 2 ** 20);
  });

  test.each(['/etc/passwd', '../../../../etc/passwd'])('links are not followed: %s', async (linkname) => {
    const files = exportSnapshot();
    files.delete('schemas/schemas_00001.jsonl');
    const path = join(folder, 'link.tar');
    writeFileSync(path, await archiveOf(files, [{ name: 'schemas/schemas_00001.jsonl', type: 'symlink', linkname }]));
    expect((await loadError(path)).problems.join()).toContain('not a Strapi export');
  });
});
