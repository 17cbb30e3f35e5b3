/** Validates values by schemas of zod, and turns its issues into messages. */
import { z } from 'zod';
import { formatNumber, maxListedProblems, type Problems, preview } from './problems.ts';
import { didYouMean } from './suggest.ts';

/** Keys whose values are secrets, or may be a plain token in place of its digest. Messages do not print them. */
const secretKeys = new Set<PropertyKey>(['jwtSecret', 'secret', 'sha256', 'token']);

/** A value of the wrong type at or directly below one of these paths may be a plain token. */
const tokenLists = ['tokens', 'admin', 'admin.tokens'];

/**
 * Returns a message with the path, the rule and the actual value of an issue. `schema` is the schema that rejected the
 * value. Its keys are the suggestions for an unknown key. Of many unknown keys, most are only counted.
 */
export function describeProblem(issue: z.core.$ZodIssue, root: unknown, schema: z.ZodType): string {
  const at = (path: PropertyKey[]) => (path.length === 0 ? '' : `${pathText(path)}: `);
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, issue.path);
    const listed = issue.keys.slice(0, maxListedProblems);
    const messages = listed.map((key) => `${at([...issue.path, key])}unknown key${didYouMean(key, known)}`);
    const more = issue.keys.length - listed.length;
    return messages.join(', ') + (more > 0 ? `, and ${formatNumber(more)} more` : '');
  }
  const value = valueAt(root, issue.path);
  if (value === undefined) return `${at(issue.path)}is required`;
  if (Array.isArray(value) && (issue.code === 'too_small' || issue.code === 'too_big')) {
    const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
    return `${at(issue.path)}must have ${bound} items, has ${value.length}`;
  }
  return `${at(issue.path)}${describeRule(issue)}, is ${previewUnlessSecret(value, issue.path)}`;
}

/** Returns the rule that a value breaks: "must be …". */
export function describeRule(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'must be a whole number' : `must be of type ${issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'invalid_union':
      // only discriminated unions have options; other unions define their own message
      return 'options' in issue && issue.options ? `must be ${issue.options.map(String).join(' or ')}` : issue.message;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** Returns the keys that the schema allows for the object at a path, over all alternatives. */
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

/** Returns the value at a path, or undefined. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], root);
}

/** Formats a path such as `tokens[0].type`. Keys that are not plain names are quoted in brackets, long ones in part. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`;
      return /^[\w$]{1,78}$/.test(String(key)) ? `.${String(key)}` : `[${preview(String(key))}]`;
    })
    .join('')
    .replace(/^\./, '');
}

function previewUnlessSecret(value: unknown, path: readonly PropertyKey[]): string {
  const isToken = tokenLists.some((list) => [pathText(path), pathText(path.slice(0, -1))].includes(list));
  const isSecret = isToken || path.some((key) => secretKeys.has(key));
  return isSecret ? describeKind(value) : preview(value);
}

/** Describes the type of a value without its content. */
function describeKind(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `a string of ${value.length} characters`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** A value that is validated part by part. Messages name the path of a part in it. */
interface Whole {
  readonly value: unknown;
  /** The schema of the whole value. */
  readonly schema: z.ZodType;
  /** The path of the part. */
  readonly path: readonly PropertyKey[];
}

/** Returns a value as its schema reads it. Returns null and reports the problems at `location` if it is invalid. */
export function validate<T extends z.ZodType>(
  schema: T,
  value: unknown,
  location: string,
  problems: Problems,
  whole: Whole = { value, schema, path: [] },
): z.output<T> | null {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const path = [...whole.path, ...issue.path];
    problems.add(location, () => describeProblem({ ...issue, path }, whole.value, whole.schema));
  }
  return null;
}
