import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeProblem, pathText } from '../../src/core/describe-problem.ts';

const schema = z.strictObject({
  port: z.int().min(1).max(65_535).optional(),
  name: z.string().min(1).optional(),
  mode: z.enum(['strict', 'tolerant']).optional(),
  hosts: z.array(z.string()).min(2).max(3).optional(),
  rules: z.record(z.string(), z.strictObject({ value: z.string() })).optional(),
  jwtSecret: z.string().optional(),
  tokens: z.array(z.strictObject({ sha256: z.string() })).optional(),
});

function messages(value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return error!.issues.map((issue) => describeProblem(issue, value, schema));
}

test.each<[rule: string, value: unknown, message: string]>([
  ['a length below the minimum', { hosts: ['a'] }, 'hosts: must have at least 2 items, has 1'],
  ['a length above the maximum', { hosts: ['a', 'b', 'c', 'd'] }, 'hosts: must have at most 3 items, has 4'],
  ['a number below the minimum', { port: 0 }, 'port: must be at least 1, is 0'],
  ['a number above the maximum', { port: 65_536 }, 'port: must be at most 65535, is 65536'],
  ['a fraction', { port: 1.5 }, 'port: must be a whole number, is 1.5'],
  ['an empty text', { name: '' }, 'name: must not be empty, is ""'],
  ['a wrong type', { name: 1 }, 'name: must be of type string, is 1'],
  ['a value outside an enumeration', { mode: 'lax' }, 'mode: must be strict or tolerant, is "lax"'],
  ['a missing key', { rules: { a: {} } }, 'rules.a.value: is required'],
  ['an unknown key', { prot: 1 }, 'prot: unknown key (did you mean "port"?)'],
  [
    'an unknown key of a record',
    { rules: { 'a b': { value: '', valeu: 1 } } },
    'rules["a b"].valeu: unknown key (did you mean "value"?)',
  ],
  ['an item', { hosts: ['a', 2] }, 'hosts[1]: must be of type string, is 2'],
  ['a root of the wrong type', [], 'must be of type object, is []'],
])('names path, rule and value of %s', (_, value, message) => {
  expect(messages(value)).toEqual([message]);
});

test.each<[value: object, message: string]>([
  [{ jwtSecret: 123 }, 'jwtSecret: must be of type string, is a number'],
  [{ jwtSecret: null }, 'jwtSecret: must be of type string, is null'],
  [{ tokens: ['secret'] }, 'tokens[0]: must be of type object, is a string of 6 characters'],
  [{ tokens: [{ sha256: ['secret'] }] }, 'tokens[0].sha256: must be of type string, is a list'],
  [{ tokens: { a: 'secret' } }, 'tokens: must be of type array, is an object'],
])('describes a secret by its type alone: %j', (value, message) => {
  expect(messages(value)).toEqual([message]);
});

test('quotes keys that are not plain names', () => {
  expect(pathText(['a', 0, '$b', 'c-d', ''])).toBe('a[0].$b["c-d"][""]');
});
