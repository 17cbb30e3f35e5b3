/** What zod finds wrong with a value, in words. */
import { z } from 'zod';
import { preview } from './problems.ts';
import { didYouMean } from './suggest.ts';

/** Keys that hold secrets, or a token in the place of its digest: an error does not show what is in them. */
const secretKeys = new Set<PropertyKey>(['jwtSecret', 'sha256']);

/** A list of tokens: what stands there in the place of a list or of an object may be a token. */
const tokensKey = 'tokens';

/**
 * One problem in a checked value, in words: where it is, what is wrong there, and what stands there. `schema` is what
 * the value was checked with; it knows the keys that a misspelled one may stand for.
 */
export function describeProblem(issue: z.core.$ZodIssue, root: unknown, schema: z.ZodType): string {
  const at = (path: PropertyKey[]) => (path.length === 0 ? '' : `${pathText(path)}: `);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    return issue.keys.map((key) => `${at([...issue.path, key])}unknown key${didYouMean(key, known)}`).join(', ');
  }
  const value = valueAt(root, issue.path);
  if (value === undefined) return `${at(issue.path)}is required`;
  return `${at(issue.path)}${complaint(issue)}, is ${shown(value, issue.path)}`;
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

/** The keys that an object at a path may have: those of each form, if it has several. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  let forms = formsOf(root);
  for (const key of path) {
    forms = forms.flatMap(({ properties, items, additionalProperties }) => {
      const inner = typeof key === 'number' ? items : (properties?.[String(key)] ?? additionalProperties);
      return typeof inner === 'object' ? formsOf(inner) : [];
    });
  }
  return forms.flatMap(({ properties }) => Object.keys(properties ?? {}));
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

function formsOf(schema: JsonSchema): JsonSchema[] {
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  return [schema, ...[...anyOf, ...oneOf, ...allOf].flatMap(formsOf)];
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
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

function shown(value: unknown, path: readonly PropertyKey[]): string {
  const isSecret = path.some((key) => secretKeys.has(key)) || (path[0] === tokensKey && path.length <= 2);
  return isSecret ? kindOf(value) : preview(value);
}

/** What a value is, without what it says. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
