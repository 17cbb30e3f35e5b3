import { describe, expect, test } from 'vitest';
import { type JsonOptions, readJsonInSteps } from '../../src/core/json-reader.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { readStrictJson, readStrictJsonInSteps } from '../../src/core/strict-json.ts';
import { caseCount } from '../support/cases.ts';

const faultsOf = (text: string, options?: JsonOptions) =>
  readStrictJson(text, options).faults.map(({ message, line, column }) => `${line}:${column} ${message}`);

/** Whatever can stand in JSON, and what cannot. */
const pieces = [
  ...['{', '}', '[', ']', ',', ':', ' ', '\n', '\t', '"', '\\', '"a"', '"b":', '"a":1', '"é\u2028🐧"', '"\\u00e9\\n"'],
  ...['0', '-1', '1.5e+3', '01', '1.', '-', 'true', 'false', 'null', 'nul', '"__proto__":', '//', '\u0001', '\ufeff'],
];

describe('readStrictJson', () => {
  test('returns the value of valid JSON without faults, and counts its values', () => {
    expect(readStrictJson('{"a": [1, {"a": null}]}')).toEqual({
      value: { a: [1, { a: null }] },
      faults: [],
      values: 4,
    });
  });

  test.each([
    ['', '1:1 invalid JSON: expected a value'],
    ['{"a": 1,}', '1:9 invalid JSON: expected a key in double quotes'],
    ['{\n  a: 1\n}', '2:3 invalid JSON: unexpected "a"'],
    ['{"a" 1}', '1:6 invalid JSON: expected ":" after the key'],
    ['{"a": 1 "b": 2}', '1:9 invalid JSON: expected "," or "}"'],
    ['[1,\n2', '2:2 invalid JSON: expected "," or "]"'],
    ['["ü🐧", x]', '1:9 invalid JSON: unexpected "x"'],
    ['{} {}', '1:4 invalid JSON: expected the end of the text'],
    ['{ // no\n}', '1:3 invalid JSON: comments are not allowed'],
    ['["a', '1:2 invalid JSON: unterminated string'],
    ['["\\x"]', '1:2 invalid JSON: invalid escape sequence in a string'],
    ['["\\u12g4"]', '1:2 invalid JSON: expected four hexadecimal digits after "\\u"'],
    ['["a\nb"]', '1:2 invalid JSON: unescaped control character in a string'],
    ['[01]', '1:2 invalid JSON: malformed number'],
    ['[tru]', '1:2 invalid JSON: unexpected "tru"'],
  ])('locates the syntax error of %j', (text, fault) => {
    expect(faultsOf(text)[0]).toBe(fault);
    expect(readStrictJson(text).value).toBeUndefined();
  });

  test('reports each duplicate key of one object, but not of different objects', () => {
    expect(faultsOf('{"a": 1,\n "b": {"a": 2, "b": 3},\n "a": 4}')).toEqual(['3:2 duplicate key "a"']);
    expect(faultsOf('{"a": 1, "\\u0061": 2, "__proto__": 3, "__proto__": 4}')).toEqual([
      '1:10 duplicate key "a"',
      '1:39 duplicate key "__proto__"',
    ]);
  });

  test('lists the first duplicate keys, and counts the others', () => {
    const faults = faultsOf(`{"a": 0${',\n"a": 1'.repeat(1234)}}`);
    expect(faults).toHaveLength(20);
    expect([faults[0], faults.at(-1)]).toEqual(['2:1 duplicate key "a"', '21:1 duplicate key "a", and 1,214 more']);
    const [long] = faultsOf(`{"${'a'.repeat(1000)}": 0, "${'a'.repeat(1000)}": 1}`);
    expect(long.length).toBeLessThan(120);
  });

  test('quotes no text that may hold secrets', () => {
    const [{ message }] = readStrictJson('{"secret": hush}', { mayHoldSecrets: true }).faults;
    expect(message).toBe('invalid JSON: unexpected text');
  });

  test('ends at a limit', () => {
    const limits = { depth: 3, values: 5 };
    expect(readStrictJson('[[[0]], 1, 2]', { limits }).value).toEqual([[[0]], 1, 2]);
    const faults = ['\n[[[[0]]]]', '[1, 2, 3, 4, 5, 6]'].map((text) => readStrictJson(text, { limits }).faults);
    expect(faults).toEqual([
      [{ message: 'the JSON is nested deeper than 3 levels', line: 2, column: 4 }],
      [{ message: 'the JSON holds more than 5 values', line: 1, column: 15 }],
    ]);
    const others = { ...limits, depth: 9, values: 99, keys: 2, textBytes: 100, numberBytes: 10 };
    const text = 'é'.repeat(50);
    expect(readStrictJson(`{"a": {"b": 1, "c": "${text}"}}`, { limits: others }).faults).toEqual([]);
    expect(readStrictJson(`{"a": 1, "b": {}, "c": 2}`, { limits: others }).faults).toEqual([
      { message: 'the JSON has an object of more than 2 keys', line: 1, column: 19 },
    ]);
    expect(readStrictJson(`["${text}."]`, { limits: others }).faults).toEqual([
      { message: 'the JSON has a text of more than 100 bytes', line: 1, column: 2 },
    ]);
    expect(faultsOf(`["${text}`, { limits: others })).toEqual(['1:2 invalid JSON: unterminated string']);
    expect(faultsOf('[-123456789, 1234567e-3]', { limits: others })).toEqual([]);
    for (const number of ['-1234567890', '1-----------', '1'.repeat(1000)]) {
      expect(faultsOf(`[${number}]`, { limits: others })).toEqual([
        '1:2 the JSON has a number of more than 10 characters',
      ]);
    }
  });

  test('reads what JSON.parse reads, and nothing else', () => {
    let state = 7;
    const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    const wrong: string[] = [];
    let valid = 0;
    for (let round = 0; round < caseCount(30_000, 10_000); round++) {
      const text = Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)]).join('');
      for (const whole of [text, `[${text}]`, `{"a":${text}}`]) {
        const expected = parsed(whole);
        const { value, error } = runAtOnce(readJsonInSteps(Buffer.from(whole)));
        if (expected !== null) valid++;
        const isSame = expected === null ? error !== null : JSON.stringify(value) === JSON.stringify(expected.value);
        if (!isSame) wrong.push(whole);
      }
    }
    expect(wrong).toEqual([]);
    expect(valid).toBeGreaterThan(1000);
  });

  test.each([62, 63, 64, 65, 1000])('reads strings of %i characters', (length) => {
    for (const end of ['', '\\"', '\\\\', 'é', '\u{1f427}', '\\u00e9']) {
      const text = `["${'x'.repeat(length)}${end}", "${end}${'y'.repeat(length)}"]`;
      expect(readStrictJson(text)).toEqual({ value: JSON.parse(text), faults: [], values: 2 });
    }
  });

  test('survives any depth', () => {
    const levels = 1_000_000;
    expect(faultsOf('['.repeat(levels))).toEqual([`1:${levels + 1} invalid JSON: expected a value`]);
    expect(faultsOf('['.repeat(levels) + ']'.repeat(levels))).toEqual([]);
  });
});

/** The steps of a text grow with its length only, and so do those of its duplicate keys. */
describe('steps', () => {
  const stepsOf = (text: string) => {
    const steps = readStrictJsonInSteps(Buffer.from(text));
    let count = 0;
    while (!steps.next().done) count++;
    return count;
  };

  test.each<[string, (size: number) => string]>([
    ['duplicate keys', (size) => `{"a":0${',\n"a":0'.repeat(size)}}`],
    ['different keys', (size) => `{${Array.from({ length: size }, (_, i) => `"key${i}":0`).join(',')}}`],
    ['levels', (size) => `${'[{"a":'.repeat(size)}null${'}]'.repeat(size)}`],
    ['items', (size) => `[${'0,'.repeat(size)}0]`],
    ['lines of white space', (size) => `[${'\n'.repeat(100 * size)}]`],
  ])('of %s grow with the text', (_, textOf) => {
    const small = stepsOf(textOf(20_000));
    expect(small).toBeGreaterThan(1);
    const factor = stepsOf(textOf(80_000)) / small;
    expect(factor).toBeGreaterThan(2);
    expect(factor).toBeLessThan(5);
  });

  test('hold one long text each', () => {
    const long = JSON.stringify('x'.repeat(2 ** 20));
    expect(stepsOf(`[${Array(8).fill(long)}]`)).toBeGreaterThanOrEqual(8);
    expect(stepsOf(`{${Array.from({ length: 8 }, (_, i) => `"${i}${long.slice(1)}:${long}`)}}`)).toBeGreaterThanOrEqual(
      16,
    );
  });
});

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
