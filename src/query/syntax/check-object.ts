/** Checks queries that a program passes as objects. It rejects values that no URL can contain. */
import { ValidationError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { childPath, type Path } from './location.ts';

/** Maximum depth, so that a query that contains itself cannot exhaust the stack. */
const maximumDepth = 100;

/** The location of a value: the parameter, the path in it, and the expression in JavaScript. */
interface Site {
  readonly param: string;
  readonly path: Path;
  /** The last key. */
  readonly key: string;
  readonly expression: string;
  readonly depth: number;
}

/**
 * Checks a query. Options that are undefined count as absent. In filters, sorts and lists, undefined is an error, since
 * dropping it would widen the answer. Empty groups in filters, functions, symbols, NaN and infinity, invalid dates and
 * objects that are not plain are errors, too. Throws a ValidationError that names the location.
 */
export function checkQueryObject(query: object): void {
  for (const [param, value] of Object.entries(query)) {
    if (value !== undefined) checkParameter(value, { param, path: null, key: param, expression: param, depth: 0 });
  }
}

function checkParameter(value: unknown, site: Site): void {
  if (site.key === 'filters') checkFilter(value, site, true);
  else if (site.key === 'populate') checkPopulate(value, site);
  else checkValue(value, site, site.key === 'sort');
}

/** Checks a filter. Only the whole, `$and`, `$in`, `$notIn`, a list of values and the items of these may be empty. */
function checkFilter(value: unknown, site: Site, mayBeEmpty: boolean): void {
  if (!checkContainer(value, site)) return;
  if (!mayBeEmpty && Object.keys(value).length === 0) {
    reject(
      value,
      site,
      Array.isArray(value) ? 'is an empty list' : 'is an empty object',
      'A filter has to say something',
    );
  }
  for (const [key, inner] of Object.entries(value)) {
    const at = below(site, key, Array.isArray(value));
    if (inner === undefined) reject(inner, at, 'is undefined', 'Leave the key out, or use null for no value');
    const isGroupOfAll = key === '$and' || (Array.isArray(value) && mayBeEmpty);
    // $in with an empty list matches nothing, which is not the same as no filter
    const isListOfValues = Array.isArray(inner) && (!key.startsWith('$') || key === '$in' || key === '$notIn');
    checkFilter(inner, at, isGroupOfAll || isListOfValues);
  }
}

/** Checks names, or attributes with options. Undefined options count as absent. */
function checkPopulate(value: unknown, site: Site): void {
  if (!checkContainer(value, site)) return;
  if (Array.isArray(value)) return checkValue(value, site, true);
  for (const [name, options] of Object.entries(value)) {
    if (options !== undefined) checkOptions(options, below(site, name, false));
  }
}

function checkOptions(value: unknown, site: Site): void {
  if (!checkContainer(value, site)) return;
  if (Array.isArray(value)) return checkValue(value, site, true);
  for (const [name, option] of Object.entries(value)) {
    if (option === undefined) continue;
    const at = { ...below(site, name, false), path: site.path };
    if (name === 'on') checkPopulate(option, at);
    else checkParameter(option, at);
  }
}

/** Checks any other value. Undefined counts as absent, except in lists and where the value is strict. */
function checkValue(value: unknown, site: Site, isStrict: boolean): void {
  if (!checkContainer(value, site)) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = below(site, key, Array.isArray(value));
    if (inner !== undefined) checkValue(inner, at, isStrict);
    else if (isStrict || Array.isArray(value)) reject(inner, at, 'is undefined', 'Leave it out');
  }
}

/** Returns whether a value contains others. Throws for one that no query can contain. */
function checkContainer(value: unknown, site: Site): value is object {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return reject(value, site, `is a ${typeof value}`, 'Use a plain value');
    case 'number':
      if (!Number.isFinite(value)) reject(value, site, `is ${value}`, 'Use a finite number');
      return false;
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return false;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) reject(value, site, 'is an invalid Date', 'Use a valid Date or a text');
    return false;
  }
  if (!Array.isArray(value) && !hasPlainPrototype(value)) {
    reject(value, site, `is a ${value.constructor?.name ?? 'special object'}`, 'Use a plain object or a list');
  }
  if (site.depth > maximumDepth) reject(null, site, `is deeper than ${maximumDepth} levels`, 'Use fewer levels');
  return true;
}

function hasPlainPrototype(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  // a plain object of another realm has a prototype without one of its own
  return isPlainObject(value) && (prototype === null || Object.getPrototypeOf(prototype) === null);
}

function below(site: Site, key: string, isItem: boolean): Site {
  const isAttribute = !isItem && !key.startsWith('$');
  return {
    param: site.param,
    path: isAttribute ? childPath(site.path, key) : site.path,
    key,
    expression: isItem ? `${site.expression}[${key}]` : `${site.expression}.${key}`,
    depth: site.depth + 1,
  };
}

function reject(value: unknown, { param, path, key, expression }: Site, what: string, advice: string): never {
  const details = { key, path, source: 'query', param, value: value === undefined ? 'undefined' : printed(value) };
  throw new ValidationError(`${expression} ${what}. ${advice}.`, details);
}

function printed(value: unknown): string {
  return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
}
