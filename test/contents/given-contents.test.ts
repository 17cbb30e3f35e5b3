import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkGivenNames, nameProblem, readGivenContents } from '../../src/content/registry/given-contents.ts';
import { ConfigError } from '../../src/index.ts';
import { temporaryFolder } from '../support/folders.ts';

function read(...texts: string[]) {
  const given = readGivenContents(texts);
  checkGivenNames(given, '/api');
  return given;
}
const problem = (...texts: string[]) => {
  expect(() => read(...texts)).toThrow(ConfigError);
  try {
    read(...texts);
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the arguments of serve', () => {
  test('are one snapshot, which is the content "main"', () => {
    expect(read('content')).toEqual({ contents: [{ name: 'main', snapshot: 'content' }], areNamed: false });
  });

  test('are contents with names, in their order', () => {
    expect(read('site=a', 'pr-42=b=c')).toEqual({
      contents: [
        { name: 'site', snapshot: 'a' },
        { name: 'pr-42', snapshot: 'b=c' },
      ],
      areNamed: true,
    });
    expect(read('main=a').areNamed).toBe(true);
  });

  test('are an address, also with a query, of which no part is a name', () => {
    const address = 'https://cms.example.org/?secret=a';
    expect(read(address).contents).toEqual([{ name: 'main', snapshot: address }]);
  });

  test('are a path if a file or folder of this name exists', () => {
    const path = join(temporaryFolder(), 'a=b');
    expect(problem(path)).toContain('cannot name a content');
    mkdirSync(path);
    expect(read(path).contents).toEqual([{ name: 'main', snapshot: path }]);
  });

  test.each([
    [['a', 'b'], 'a: one of several snapshots needs a name, such as main=a'],
    [['a=x', 'b'], 'b: one of several snapshots needs a name, such as main=b'],
    [['a=x', 'a=y'], 'a=y: another content has the name "a"'],
    [['a='], 'a=: the path of a snapshot is missing after ='],
    [['api=x'], 'api=x: "api" cannot name a content: the server uses the path /api'],
    [
      ['=x'],
      '=x: "" cannot name a content: a name has 1 to 63 characters of a-z, 0-9 and -, and neither begins nor ends with -',
    ],
  ])('%j are refused', (texts, message) => {
    expect(problem(...texts)).toBe(message);
  });
});

describe('a name', () => {
  test.each(['a', '0', 'pr-42', 'a'.repeat(63)])('may be %s', (name) => {
    expect(nameProblem(name, '/api')).toBeNull();
  });

  test.each(['', '-a', 'a-', 'A', 'a_b', 'a.b', 'ä', 'a/b', '_health', 'a'.repeat(64)])('may not be %j', (name) => {
    expect(nameProblem(name, '/api')).toContain('a name has 1 to 63 characters');
  });

  test.each([
    ['uploads', '/api'],
    ['uploads', ''],
    ['v1', '/V1/content'],
  ])('may not be %s with the prefix %j, because the server uses the path', (name, prefix) => {
    expect(nameProblem(name, prefix)).toBe(`"${name}" cannot name a content: the server uses the path /${name}`);
  });
});
