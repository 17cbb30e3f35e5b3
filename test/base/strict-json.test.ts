import { describe, expect, test } from 'vitest';
import { readStrictJson } from '../../src/base/strict-json.ts';

const faultsOf = (text: string) =>
  readStrictJson(text).faults.map(({ message, line, column }) => `${line}:${column} ${message}`);

describe('readStrictJson', () => {
  test('returns the value of valid JSON without faults', () => {
    expect(readStrictJson('{"a": [1, {"a": null}]}')).toEqual({ value: { a: [1, { a: null }] }, faults: [] });
  });

  test.each([
    ['{"a": 1,}', '1:9 invalid JSON: expected a key in double quotes'],
    ['{\n  a: 1\n}', '2:3 invalid JSON: unexpected "a"'],
    ['{"a" 1}', '1:6 invalid JSON: expected ":" after the key'],
    ['{"a": 1 "b": 2}', '1:9 invalid JSON: expected ","'],
    ['[1,\n2', '2:2 invalid JSON: expected "," or "]"'],
    ['{} {}', '1:4 invalid JSON: expected the end of the text'],
    ['{ // no\n}', '1:3 invalid JSON: comments are not allowed'],
    ['["a', '1:2 invalid JSON: unterminated string'],
    ['["\\x"]', '1:2 invalid JSON: invalid escape sequence in a string'],
  ])('locates the syntax error of %j', (text, fault) => {
    expect(faultsOf(text)[0]).toBe(fault);
    expect(readStrictJson(text).value).toBeUndefined();
  });

  test('reports each duplicate key of one object, but not of different objects', () => {
    expect(faultsOf('{"a": 1,\n "b": {"a": 2, "b": 3},\n "a": 4}')).toEqual(['3:2 duplicate key "a"']);
  });

  test('quotes no text that may hold secrets', () => {
    const [{ message }] = readStrictJson('{"secret": hush}', true).faults;
    expect(message).not.toContain('hush');
  });
});
