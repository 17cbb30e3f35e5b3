// Content that would take too much memory, work or stack is rejected. Work is counted, not timed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { describe, expect, test, vi } from 'vitest';
import { GrowableNumbers } from '../../src/core/memory/growable-buffers.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { limits } from '../../src/load/limits.ts';
import { checkLimits } from '../../src/load/parse/element-scanner.ts';
import { arrayElements, jsonLines } from '../../src/load/parse/elements.ts';
import { GeneratedDocumentIds } from '../../src/load/strapi/strapi-4.ts';
import { PresenceDictionary } from '../../src/store/columns/dictionary.ts';
import { buildColumn } from '../../src/store/writer/columns/column-builder.ts';
import { documentLinks } from '../../src/store/writer/links/document-links.ts';
import { entity, filesOf, folderOf, lines, link } from '../exports/exports.ts';
import { expectProblem, loadError } from '../support/broken.ts';
import { temporaryFolder } from '../support/folders.ts';
import { thingSnapshot } from '../support/guide.ts';

const folder = temporaryFolder();

const text = { type: 'string' };
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

async function written(name: string, content: string): Promise<string> {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Returns the error message of reading a file, and the number of chunks that were read. */
async function outcomeOf<T>(
  read: (input: AsyncIterable<Buffer>) => AsyncIterable<T>,
  pieces: Iterable<Buffer>,
): Promise<{ message: string; taken: number }> {
  let taken = 0;
  async function* input() {
    for (const piece of pieces) {
      taken++;
      yield piece;
    }
  }
  try {
    for await (const _ of read(input())) {
      // only the end counts
    }
  } catch (error) {
    return { message: (error as Error).message, taken };
  }
  return { message: 'read', taken };
}

function* repeated(piece: string, count: number): Generator<Buffer> {
  for (let i = 0; i < count; i++) yield Buffer.from(piece);
}

describe('nesting', () => {
  test.each([limits.depth + 1, 100_000])('is limited in a line of an export: %i levels', async (depth) => {
    const files = filesOf({ types: [{ name: 'note', attributes: { body: { type: 'json' } } }] });
    files.set('entities/entities_00002.jsonl', `{"type":"api::note.note","id":1,"data":{"x":${nested(depth)}}}\n`);
    await expectProblem(folderOf(files), 'entities/entities_00002.jsonl: line 1 is nested deeper than 256 levels');
  });

  test('is limited in a single file and in the file of a type', async () => {
    await expectProblem(await written('deep.json', `{"posts":${nested(100_000)}}`), 'deeper than 256 levels');
    const path = join(folder, 'deep-type');
    mkdirSync(join(path, 'content-types'), { recursive: true });
    writeFileSync(join(path, 'content-types', 'note.json'), `{"x":${nested(100_000)}}`);
    await expectProblem(path, 'content-types/note.json', 'deeper than 256 levels');
  });
});

describe('the number of values', () => {
  const many = Math.ceil(limits.elementValues / 1000) + 1;
  const objects = '{},'.repeat(1000);

  test('of one element is counted before it is parsed', async () => {
    function* pieces() {
      yield Buffer.from('[[');
      yield* repeated(objects, 10 * many);
    }
    const { message, taken } = await outcomeOf(arrayElements, pieces());
    expect(message).toBe('element 0 holds more than 2,000,000 values');
    expect(taken).toBeLessThan(many);
  });

  test('is counted for each element separately', async () => {
    const element = `[${'1,'.repeat(0.6 * limits.elementValues)}1]`;
    expect((await outcomeOf(arrayElements, [Buffer.from(`[${element},${element}]`)])).message).toBe('read');
  });

  test('is limited in one line', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    const line = `[${objects.repeat(many)}{}]\n`;
    const { message } = await outcomeOf(jsonLines, [Buffer.from(line)]);
    expect(message).toContain('line 1 holds more than 2,000,000 values');
    expect(parse).not.toHaveBeenCalled();
  });

  test.each<[unknown, values: number]>([
    [[1, '},{,[', [], { a: 1, b: 2 }], 7],
    [{ '\\': '\\"', '"': ['\\\\', ',,', '\\\\"'] }, 5],
    [['[{'.repeat(2000)], 1],
  ])('ignores brackets inside text: %j', (value, values) => {
    const bytes = Buffer.from(`${' '.repeat(20)}${JSON.stringify(value)}`);
    checkLimits(bytes, 'value', values);
    if (values > 1) expect(() => checkLimits(bytes, 'value', values - 2)).toThrow('values');
  });
});

describe('white space between values is limited', () => {
  test.each([
    ['empty lines', jsonLines, '{}\n', '\n'],
    ['lines of blanks', jsonLines, '{}\n', `${' '.repeat(99)}\n`],
    ['blanks behind an array', arrayElements, '[]', '\n'],
  ] as const)('%s', async (_, read, start, blank) => {
    function* pieces() {
      yield Buffer.from(start);
      yield* repeated(blank.repeat(Math.ceil(65_536 / blank.length)), 1000);
    }
    const { message, taken } = await outcomeOf(read as typeof jsonLines, pieces());
    expect(message).toContain(`more than ${limits.blankBytes} bytes`);
    expect(taken).toBeLessThan(20);
  });
});

describe('types', () => {
  const named = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
  const attributesOf = (count: number) => Object.fromEntries(named(count).map((name) => [name, text]));

  test('are limited in number', async () => {
    const components = Object.fromEntries(named(limits.types).map((name) => [`a.${name}`, { attributes: {} }]));
    await expectProblem(thingSnapshot({ name: text }, [], { components }), 'the limit is 5,000');
  });

  test('are not read if there are too many files', async () => {
    const path = join(folder, 'many-types');
    mkdirSync(join(path, 'content-types'), { recursive: true });
    for (const name of named(limits.types + 1)) writeFileSync(join(path, 'content-types', `${name}.json`), '');
    const { problems } = await loadError(path);
    expect(problems).toEqual([expect.stringContaining('5001 files of content types and components')]);
  });

  test('are rejected with too many attributes', async () => {
    await expectProblem(thingSnapshot(attributesOf(limits.attributes + 1), []), 'thing', '5,001 attributes');
    const files = filesOf({ types: [{ name: 'note', attributes: attributesOf(limits.attributes + 1) }] });
    await expectProblem(folderOf(files), 'api::note.note', 'the limit is 5,000');
    const posts = [attributesOf(limits.attributes + 1)];
    await expectProblem(await written('wide.json', JSON.stringify({ posts })), 'posts', '5001 keys');
  });

  test('are rejected with too many attributes in total', async () => {
    const attributes = attributesOf(limits.attributes);
    const components = Object.fromEntries(named(21).map((name) => [`a.${name}`, { attributes }]));
    await expectProblem(thingSnapshot({ name: text }, [], { components }), 'the limit is 100,000');
  });
});

test('wrong permissions get suggestions only among the listed problems', async () => {
  const permissions = Array.from({ length: 5000 }, (_, i) => `api::nothing.n${i}.find`);
  const snapshot = thingSnapshot({ name: text }, [], { roles: [{ type: 'public', permissions }] });
  const lower = vi.spyOn(String.prototype, 'toLowerCase');
  const { count } = await loadError(snapshot);
  expect(lower.mock.calls.length).toBeLessThan(1000);
  expect(count).toBe(5000);
});

describe('one document', () => {
  const count = 4000;

  test('is loaded in linear time if it occurs often', async () => {
    const at = vi.spyOn(GrowableNumbers.prototype, 'at');
    const entries = Array.from({ length: count }, () => ({ documentId: 'same', thing: 'same' }));
    const thing = { type: 'relation', relation: 'manyToOne', target: 'api::thing.thing' };
    const { problems } = await loadError(thingSnapshot({ thing }, entries));
    expect(problems[0]).toContain('a second entry of document "same"');
    expect(at.mock.calls.length).toBeLessThan(20 * count);
  });

  test('is rejected with too many entries in an export', async () => {
    const entities = Array.from({ length: 2001 }, (_, i) => entity('note', i + 1, { documentId: 'same' }));
    const files = filesOf({ types: [{ name: 'note', attributes: { name: text }, localized: true }], entities });
    await expectProblem(folderOf(files), 'api::note.note: the document "same" has more than 2000 entries');
  });

  test('is separate for each row without a documentId', () => {
    const documents = buildColumn(new Uint32Array(count), new PresenceDictionary());
    const rows = Array.from({ length: count }, (_, row) => row);
    expect(documentLinks(documents, rows, () => true).forward.targets.length).toBe(count);
    expect(documentLinks(documents, rows, (a, b) => a !== b).forward.targets.length).toBe(0);
  });

  test('is loaded in linear time if Strapi 4 links its rows in a long chain', () => {
    const ids = new GeneratedDocumentIds();
    const end = (ref: number) => ({ type: 'api::note.note', ref, field: 'localizations' });
    for (let id = count; id > 1; id--) ids.addLink(end(id), end(id - 1));
    const get = vi.spyOn(Map.prototype, 'get');
    const found = new Set(Array.from({ length: count }, (_, i) => ids.of('api::note.note', count - i)));
    const calls = get.mock.calls.length;
    get.mockRestore();
    expect(found.size).toBe(1);
    expect(calls).toBeLessThan(10 * count);
  });
});

describe('an export', () => {
  const next = { type: 'relation', relation: 'oneToOne', target: 'api::note.note' };
  const parts = (pos: unknown) => ({
    types: [{ name: 'note', attributes: { name: text, next } }],
    entities: [entity('note', 1)],
    links: [{ ...link('note.next', 1, 'note', 1), left: { type: 'api::note.note', ref: 1, field: 'next', pos } }],
  });

  test.each(['1', true, [1], {}])('is rejected if a link has the position %j', async (pos) => {
    await expectProblem(folderOf(filesOf(parts(pos))), 'links/links_00001.jsonl:1', '"pos" must be a number');
  });

  test('is rejected if a link has an infinite position', async () => {
    const files = filesOf(parts(0));
    files.set('links/links_00001.jsonl', lines(parts(0).links).replace('"pos":0', '"pos":1e999'));
    await expectProblem(folderOf(files), '"pos" must be a number');
  });

  test('is rejected if its archive declares files above every limit', async () => {
    const archive = pack();
    archive.entry({ name: 'notes.txt', size: 2 ** 37 });
    const header = (await archive[Symbol.asyncIterator]().next()).value as Buffer;
    const path = join(folder, 'large.tar');
    writeFileSync(path, Buffer.concat([header, Buffer.alloc(4096)]));
    await expectProblem(path, 'the files take more than 85899345920 bytes');
  });

  /** A tar archive with one file, whose PAX header has a comment of `commentBytes`, followed by `zeros`. */
  async function tarWith(name: string, commentBytes: number, zeros: number): Promise<string> {
    const archive = pack();
    archive.entry({ name: 'schemas/a.jsonl', pax: { comment: 'x'.repeat(commentBytes) } }, '{}');
    archive.finalize();
    const path = join(folder, name);
    const bytes = await buffer(archive);
    writeFileSync(path, bytes);
    truncateSync(path, bytes.length + zeros);
    return path;
  }

  test('is rejected if a file of its archive has headers that are too large', async () => {
    const path = await tarWith('headers.tar', limits.headerBytes, 0);
    const { problems } = await loadError(path);
    expect(problems).toEqual([
      expect.stringMatching(/headers\.tar, schemas\/a\.jsonl: the headers take 105\d{4} bytes; the limit is 1048576$/),
    ]);
    const small = await tarWith('headers.tar', limits.headerBytes - 4096, 0);
    expect((await loadError(small)).problems.join()).not.toContain('headers take');
  });

  test('is rejected if its archive has an invalid header', async () => {
    const path = await tarWith('header.tar', 5 * 2 ** 20, 0);
    await expectProblem(path, 'header.tar', 'not a readable archive: Header exceeds max size');
  });

  test('is not read past the end of its archive if zeros follow', async () => {
    const path = await tarWith('zeros.tar', 10, limits.bytesWithoutFile + 8 * 2 ** 20);
    const what = `zeros.tar, after schemas/a.jsonl: more than ${limits.bytesWithoutFile} bytes of headers or zeros`;
    await expectProblem(path, what);
    const short = await tarWith('zeros.tar', 10, limits.bytesWithoutFile - 2 ** 20);
    expect((await loadError(short)).problems.join()).not.toContain('zeros,');
  });

  test.each(['pipe.json', 'pipe.tar', 'pipe'])(
    'is rejected without reading if it is a named pipe: %s',
    async (name) => {
      const path = join(folder, name);
      execFileSync('mkfifo', [path]);
      await expectProblem(path, 'neither a file nor a folder');
    },
  );
});

describe('an object in memory', () => {
  const types = thingSnapshot({ value: { type: 'json' } }, []);
  /** Nested lists of the given depth. */
  const listOf = (levels: number): unknown => JSON.parse(nested(levels));
  const withValue = (value: unknown) => ({ ...types, entries: { thing: [{ documentId: 'a', value }] } });

  test('may be nested as deeply as a file', async () => {
    // the list of entries, the entry and its value
    const { problems } = await loadError(withValue(listOf(limits.depth - 2)));
    // attributes of type json have a lower limit of their own
    expect(problems).toEqual([expect.stringContaining('attribute value: expected JSON, at most 200 deep')]);
    const what = `element 0 is nested deeper than ${limits.depth} levels`;
    await expectProblem(withValue(listOf(limits.depth - 1)), `entries thing: ${what}`);
    await expectProblem(withValue(listOf(5000)), what);
    const path = await written('deep.json', JSON.stringify(withValue(listOf(limits.depth + 1))));
    await expectProblem(path, `is nested deeper than ${limits.depth} levels`);
  });

  test('is rejected if it contains itself or one object too often', async () => {
    const round: unknown[] = [];
    round.push(round);
    await expectProblem(withValue(round), `element 0 is nested deeper than ${limits.depth} levels`);
    let often: unknown = [];
    for (let i = 0; i < 100; i++) often = [often, often];
    await expectProblem(withValue(often), 'element 0 holds more than 2,000,000 values');
  });

  test.each([
    ['settings', { settings: { extra: listOf(300) } }],
    ['contentTypes [0]', { contentTypes: [listOf(300)] }],
    ['components a.b', { components: { 'a.b': listOf(300) } }],
    ['roles', { roles: listOf(300) }],
  ])('is rejected if its definitions are nested deeper: %s', async (place, part) => {
    const message = `${place}: it is nested deeper than ${limits.depth} levels`;
    await expectProblem({ ...types, ...part } as JsonSnapshot, message);
  });
});
