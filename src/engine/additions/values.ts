/** Checks and describes values that the code of an extension returns or throws. */
import { preview } from '../../core/problems.ts';

/** Queries are nested far less, so a value nested deeper is taken to contain itself. */
const maxDepth = 200;

/** Describes a value for a message: `a promise`, `undefined`, `TypeError: …`, or JSON. */
export function describeValue(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (isPromise(value)) return 'a promise';
  if (typeof value === 'function') return `the function ${value.name || '(without a name)'}`;
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlain(value))
    return `a ${value.constructor?.name ?? 'object'}`;
  try {
    return preview(value);
  } catch {
    return 'a value that contains itself';
  }
}

/** Returns why a value is not an object of plain data, or null if it is one. */
export function plainDataProblem(value: unknown): string | null {
  if (value === undefined) return 'it returned undefined (is a return missing?)';
  if (isPromise(value)) return 'it returned a promise, but query hooks are synchronous';
  if (typeof value !== 'object' || value === null || !isPlain(value)) return `it returned ${describeValue(value)}`;
  for (const [name, part] of Object.entries(value)) {
    const problem = part === undefined ? null : partProblem(part, name, 0);
    if (problem !== null) return problem;
  }
  return null;
}

function partProblem(value: unknown, path: string, depth: number): string | null {
  if (depth > maxDepth) return `its ${path.split('.')[0]} is nested too deeply`;
  if (value === null || value instanceof Date) return null;
  if (Array.isArray(value) || (typeof value === 'object' && isPlain(value))) {
    for (const [name, part] of Object.entries(value)) {
      const problem = partProblem(part, `${path}.${name}`, depth + 1);
      if (problem !== null) return problem;
    }
    return null;
  }
  const isPlainValue = ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
  return isPlainValue ? null : `its ${path} is ${describeValue(value)}`;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
