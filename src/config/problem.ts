import type { z } from 'zod';
import { quote } from '../problems.ts';
import { valueAt } from './values.ts';

/** Keys whose values are secrets, or are a token where its digest should stand: an error shows only their length. */
const secretKeys = new Set<PropertyKey>(['jwtSecret', 'sha256']);

/** One problem in a checked value, in words: where it is, what is wrong there, and what stands there. */
export function describeProblem(issue: z.core.$ZodIssue, root: unknown): string {
  const at = (path: PropertyKey[]) => (path.length === 0 ? '' : `${pathText(path)}: `);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${at([...issue.path, key])}unknown key`).join(', ');
  }
  const value = valueAt(root, issue.path);
  if (value === undefined) return `${at(issue.path)}is required`;
  return `${at(issue.path)}${complaint(issue)}, is ${shown(value, issue.path.at(-1))}`;
}

function complaint(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'must be a whole number' : `must be of type ${issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'invalid_union':
      // only where one key tells the forms apart are there options; otherwise the schema says what it must be
      return 'options' in issue && issue.options ? `must be ${issue.options.map(String).join(' or ')}` : issue.message;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** `tokens[0].type`; a key that is not a plain name stands in brackets and quotes. */
function pathText(path: PropertyKey[]): string {
  return path
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      return /^[\w$]+$/.test(String(key)) ? `.${String(key)}` : `[${JSON.stringify(String(key))}]`;
    })
    .join('')
    .replace(/^\./, '');
}

function shown(value: unknown, key: PropertyKey | undefined): string {
  if (key !== undefined && secretKeys.has(key) && typeof value === 'string')
    return `a text of ${value.length} characters`;
  return quote(value);
}
