import { describe, expect, test } from 'vitest';
import { arrayElements, jsonLines } from '../../src/load/parse/elements.ts';

/** Texts that are hard to split: quotes, backslashes and brackets inside strings. */
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

describe.each([1, 2, 3, 5, 8, 13, 64, 100_000])('in chunks of %i bytes', (size) => {
  test.each([undefined, 2])('parses the elements of an array (indent %s)', async (indent) => {
    expect(await all(arrayElements(pieces(JSON.stringify(values, null, indent), size)))).toEqual(values);
  });

  test('parses a file line by line, with or without a trailing newline', async () => {
    const text = values.map((value) => JSON.stringify(value)).join('\n');
    for (const input of [text, `${text}\n`, `${text}\r\n\n`]) {
      expect((await all(jsonLines(pieces(input, size)))).map(({ value }) => value)).toEqual(values);
    }
  });

  test.each([' [ \n ] ', '{"entries":[]}', '\uFEFF[]', '\uFEFF { "$schema": "x", "entries" : [ ] } '])(
    'finds no elements in an empty array: %j',
    async (text) => expect(await all(arrayElements(pieces(text, size)))).toEqual([]),
  );

  test.each([
    (entries: string) => `{"$schema": "../schemas/a[0]{\\"}.json", "entries": ${entries}}`,
    (entries: string) => `\n{ "entries" :\n${entries} ,\n "$schema": "ü" }\n`,
  ])('accepts an object around the array: %#', async (written) => {
    expect(await all(arrayElements(pieces(written(JSON.stringify(values)), size)))).toEqual(values);
  });

  test.each([
    ['[1,', 'not closed'],
    ['[1,]', 'element 1 is invalid JSON'],
    ['[,1]', 'element 0 is invalid JSON'],
    ...['{"a":1}', '"x"[1]', '{[1]', ',[1]'].map((text): [string, string] => [text, 'expected a JSON array, or']),
    ...['[1] 2', '[1][2]', '[1]]', '[1]}', '[1]]]}}', '[1]"x"', '[1]"x', '[1],'].map((text): [string, string] => [
      text,
      'expected the end of the file',
    ]),
    ['[1}', 'expected "," or "]"'],
    ['{"entries":[1]', 'invalid JSON: expected "," or "}"'],
    ['{"entries":[1]}}', 'invalid JSON: expected the end'],
    ['{"entries":[1],"entries":[2]}', 'duplicate key "entries"'],
    ['{"entries":[1],"entires":2}', 'unknown key "entires"'],
    ['{"name":"a","entries":[1]}', 'unknown key "name"'],
    ['{"items":[1]}', 'expected a JSON array, or'],
    ['{"a":{"entries":[1]}}', 'expected a JSON array, or'],
    ['{"entries":{}}', 'expected a JSON array, or'],
    ['{"$schema":"[\\"","entries" [1]}', 'expected a JSON array, or'],
    ['[{"a":1,"b":{"c":[{"d":1,"d":2}]}}]', 'element 0: duplicate key "d"'],
    ['[{"a":1},{"a":1,"\\u0061":1}]', 'element 1: duplicate key "a"'],
    ['["a]', 'unterminated string'],
    ['[{"a":}]', 'element 0 is invalid JSON'],
    ['', 'the file is empty'],
    [' \n', 'the file is empty'],
    ['{', 'expected a JSON array, or'],
    [`[${'['.repeat(300)}`, 'nested deeper'],
  ])('rejects a broken file: %#', async (text, message) => {
    await expect(all(arrayElements(pieces(text, size)))).rejects.toThrow(message);
  });
});

test('rejects invalid UTF-8', async () => {
  async function* bad(): AsyncGenerator<Buffer> {
    yield Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]);
  }
  await expect(all(arrayElements(bad()))).rejects.toThrow('not UTF-8');
});

test.each([
  ['[{"a":1},\n {"ä":ü}]', 17],
  ['{"entries":[1],"x":ü}', 19],
  ['{"entries":[{"a":1,"a":2}]}', 19],
  ['{"entries":[1],"$schema":1,"$schema":2}', 27],
  ['[1] x', 4],
  ['  x', 2],
  ['[[1]', 4],
])('reports the byte offset of an error: %s', async (text, offset) => {
  for (const size of [1, 4, 100]) {
    const error = await all(arrayElements(pieces(text, size))).catch((thrown) => thrown);
    expect(error).toMatchObject({ offset });
  }
});
