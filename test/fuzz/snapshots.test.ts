import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { loadError } from '../support/broken.ts';
import { temporaryFolder } from '../support/folders.ts';
import { archiveOf } from './archive.ts';
import { exportSnapshot } from './small-snapshots.ts';
import { runSnapshots } from './snapshot-campaign.ts';

// in parts, because each part has the time limit of a test
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
   * Loads a snapshot in another process with a small heap. Returns its error and its peak memory in bytes.
   */
  function load(path: string): { message: string; peak: number } {
    const code = `
      const { open } = await import(${JSON.stringify(new URL('../../dist-bundle/index.js', import.meta.url).href)});
      const message = await open(process.argv[1]).then(() => 'loaded', (error) => error.message);
      console.log(JSON.stringify({ message, peak: process.resourceUsage().maxRSS * 1024 }));`;
    const options = ['--max-old-space-size=128', '--input-type=module', '-e', code, path];
    return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
  }

  /** A packed archive with a schema and one file of 300 MiB of one byte. Equal gzip members take no time to pack. */
  async function bombOf(name: string, byte: number): Promise<Buffer> {
    const schema = { uid: 'api::a.a', modelType: 'contentType', kind: 'collectionType', attributes: {} };
    const files = await archiveOf(
      new Map([['schemas/schemas_00000.jsonl', Buffer.from(`${JSON.stringify(schema)}\n`)]]),
    );
    const archive = pack();
    archive.entry({ name, size: 300 * 2 ** 20 });
    const header = (await archive[Symbol.asyncIterator]().next()).value as Buffer;
    const piece = gzipSync(Buffer.alloc(2 ** 20, byte));
    const endOfArchive = Buffer.alloc(1024);
    const head = gzipSync(Buffer.concat([files.subarray(0, -endOfArchive.length), header]));
    return Buffer.concat([head, ...Array<Buffer>(300).fill(piece), gzipSync(endOfArchive)]);
  }

  test.each([
    ['schemas', 0x20, /line\.tar\.gz, schemas\/schemas_00001\.jsonl: .* take more than 67108864 bytes/],
    ['entities', 0x61, /entities_00001\.jsonl.*line 1 is larger than/],
  ])(
    'a line of 300 megabytes in the %s of a small archive is rejected in bounded memory',
    async (stage, byte, expected) => {
      const path = join(folder, 'line.tar.gz');
      writeFileSync(path, await bombOf(`${stage}/${stage}_00001.jsonl`, byte));
      const { message, peak } = load(path);
      expect(message).toMatch(expected);
      expect(peak).toBeLessThan(512 * 2 ** 20);
    },
  );

  test('20,000 tiny files are rejected in bounded memory', async () => {
    const path = join(folder, 'tiny.tar.gz');
    const files = new Map(Array.from({ length: 20_000 }, (_, i) => [`assets/${i}`, Buffer.from('x')]));
    writeFileSync(path, gzipSync(await archiveOf(files), { level: 1 }));
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
