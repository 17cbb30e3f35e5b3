import { describe, expect, test } from 'vitest';
import { arrayElements, jsonLines } from '../src/snapshot/elements.ts';

/** Texts whose cutting is easily got wrong: quotes, backslashes and brackets inside strings. */
const values = [
  '',
  'plain',
  '"',
  '\\',
  '\\\\',
  '\\"',
  '"\\',
  '[{"a":1},',
  ']}',
  'line\nbreak',
  'tab\t',
  '日本語 🍕',
  '\\u0022',
  '"'.repeat(5),
  '\\'.repeat(7),
].flatMap((text) => [text, { [text || 'key']: [text, { deep: text }] }, [text]]);

async function* pieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function all<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const batch of batches) found.push(...batch);
  return found;
}

describe.each([1, 2, 3, 5, 8, 13, 64, 100_000])('in pieces of %i bytes', (size) => {
  test.each([undefined, 2])('the elements come out as they went in (indent %s)', async (indent) => {
    expect(await all(arrayElements(pieces(JSON.stringify(values, null, indent), size)))).toEqual(values);
  });

  test('so do the lines of a file, the last with or without its end', async () => {
    const text = values.map((value) => JSON.stringify(value)).join('\n');
    for (const input of [text, `${text}\n`, `${text}\r\n\n`]) {
      expect((await all(jsonLines(pieces(input, size)))).map(({ value }) => value)).toEqual(values);
    }
  });

  test('an empty array has no elements', async () => {
    expect(await all(arrayElements(pieces(' [ \n ] ', size)))).toEqual([]);
  });

  test.each([
    ['[1,', 'not closed'],
    ['[1,]', 'element 1 is not JSON'],
    ['[,1]', 'element 0 is not JSON'],
    ['{"a":1}', 'a JSON array is expected'],
    ['[1] 2', 'a JSON array is expected'],
    ['[1][2]', 'a JSON array is expected'],
    ...['[1]]', '[1]}', '[1]]]}}', '"x"[1]', '[1]"x"', '[1]"x', '{[1]', ',[1]', '[1],'].map(
      (text): [string, string] => [text, 'a JSON array is expected'],
    ),
    ['["a]', 'not closed'],
    ['[{"a":}]', 'element 0 is not JSON'],
    ['', 'not closed'],
    [`[${'['.repeat(300)}`, 'nested deeper'],
  ])('a broken file is refused: %#', async (text, message) => {
    await expect(all(arrayElements(pieces(text, size)))).rejects.toThrow(message);
  });
});

test('bytes that are no UTF-8 are refused', async () => {
  async function* bad(): AsyncGenerator<Buffer> {
    yield Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]);
  }
  await expect(all(arrayElements(bad()))).rejects.toThrow('not UTF-8');
});
