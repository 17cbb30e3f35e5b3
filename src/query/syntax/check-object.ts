/** Checks queries that a program gives as objects, before they are bound. A URL cannot hold what is refused here. */
import { ValidationError } from '../../base/errors.ts';
import { childPath, type Path } from './location.ts';
import { isPlainObject } from './raw-value.ts';

/** Deeper queries are refused, so that one which holds itself cannot exhaust the stack. */
const maximumDepth = 100;

/** A value of a query: the parameter, its path there, and as JavaScript writes it. */
interface Site {
  readonly param: string;
  readonly path: Path;
  readonly written: string;
  readonly depth: number;
}

/**
 * Checks a query. Options that are undefined count as absent; in filters, sorts and lists undefined is refused, since
 * what is left out there would widen the answer. So are groups in filters that hold nothing, functions, symbols,
 * numbers that are none, invalid dates, and objects that are not plain. Throws a ValidationError that names the place.
 */
export function checkQueryObject(query: object): void {
  for (const [param, value] of Object.entries(query)) {
    if (value !== undefined) checkParameter(value, { param, path: null, written: param, depth: 0 });
  }
}

function checkParameter(value: unknown, site: Site): void {
  const name = site.written.slice(site.written.lastIndexOf('.') + 1);
  if (name === 'filters') checkFilter(value, site, true);
  else if (name === 'populate') checkPopulate(value, site);
  else checkValue(value, site, name === 'sort');
}

/** Everything in filters says something; only the whole, and `$and`, may be empty. */
function checkFilter(value: unknown, site: Site, mayBeEmpty: boolean): void {
  if (!isContainer(value, site)) return;
  if (!mayBeEmpty && Object.keys(value).length === 0) {
    refuse(
      value,
      site,
      Array.isArray(value) ? 'is an empty list' : 'is an empty object',
      'A filter has to say something',
    );
  }
  for (const [key, inner] of Object.entries(value)) {
    const at = below(site, key, Array.isArray(value));
    if (inner === undefined) refuse(inner, at, 'is undefined', 'Leave the key out, or use null for no value');
    const isGroupOfAll = key === '$and' || (Array.isArray(value) && mayBeEmpty);
    // to be one of no values is to match nothing
    const isListOfValues = Array.isArray(inner) && (!key.startsWith('$') || key === '$in' || key === '$notIn');
    checkFilter(inner, at, isGroupOfAll || isListOfValues);
  }
}

/** Names, or attributes with their options, in which undefined counts as absent. */
function checkPopulate(value: unknown, site: Site): void {
  if (!isContainer(value, site)) return;
  if (Array.isArray(value)) return checkValue(value, site, true);
  for (const [name, options] of Object.entries(value)) {
    if (options !== undefined) checkOptions(options, below(site, name, false));
  }
}

function checkOptions(value: unknown, site: Site): void {
  if (!isContainer(value, site)) return;
  if (Array.isArray(value)) return checkValue(value, site, true);
  for (const [name, option] of Object.entries(value)) {
    if (option === undefined) continue;
    const at = { ...below(site, name, false), path: site.path };
    if (name === 'on') checkPopulate(option, at);
    else checkParameter(option, at);
  }
}

/** Any other value. Undefined counts as an absent option, but not in lists nor where the value is strict. */
function checkValue(value: unknown, site: Site, isStrict: boolean): void {
  if (!isContainer(value, site)) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = below(site, key, Array.isArray(value));
    if (inner !== undefined) checkValue(inner, at, isStrict);
    else if (isStrict || Array.isArray(value)) refuse(inner, at, 'is undefined', 'Leave it out');
  }
}

/** Whether a value holds others. Throws for one that no query can hold. */
function isContainer(value: unknown, site: Site): value is object {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return refuse(value, site, `is a ${typeof value}`, 'Use a plain value');
    case 'number':
      if (!Number.isFinite(value)) refuse(value, site, `is ${value}`, 'Use a finite number');
      return false;
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return false;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) refuse(value, site, 'is an invalid Date', 'Use a valid Date or a text');
    return false;
  }
  if (!Array.isArray(value) && !isPlain(value)) {
    refuse(value, site, `is a ${value.constructor?.name ?? 'special object'}`, 'Use a plain object or a list');
  }
  if (site.depth > maximumDepth) refuse(null, site, `is deeper than ${maximumDepth} levels`, 'Use fewer levels');
  return true;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  // a plain object of another realm has a prototype without one of its own
  return isPlainObject(value) && (prototype === null || Object.getPrototypeOf(prototype) === null);
}

function below(site: Site, key: string, isItem: boolean): Site {
  const isAttribute = !isItem && !key.startsWith('$');
  return {
    param: site.param,
    path: isAttribute ? childPath(site.path, key) : site.path,
    written: isItem ? `${site.written}[${key}]` : `${site.written}.${key}`,
    depth: site.depth + 1,
  };
}

function refuse(value: unknown, { param, path, written }: Site, what: string, advice: string): never {
  const key = written.slice(Math.max(written.lastIndexOf('.'), written.lastIndexOf('[')) + 1).replace(/\]$/, '');
  const details = { key, path, source: 'query', param, value: value === undefined ? 'undefined' : printed(value) };
  throw new ValidationError(`${written} ${what}. ${advice}.`, details);
}

function printed(value: unknown): string {
  return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
}
