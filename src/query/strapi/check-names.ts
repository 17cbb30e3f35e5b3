/**
 * The recorded service looks for wrong names in several passes over a whole `filters` or `sort`, before it looks at any
 * value: the first pass that finds something decides what is reported. This is one walk that remembers what the
 * earliest of those passes would find first.
 */
import { invalidKey, ValidationError } from '../../base/errors.ts';
import { type EntryType, isPolymorphic, isScalar, type LinkAttribute } from '../../model/schema.ts';
import { type Binding, mayFollow } from '../bind/binding.ts';
import { logicalOperators, operators } from '../operators.ts';
import { identifiers } from '../syntax/attribute-names.ts';
import { childPath, type Path } from '../syntax/place.ts';
import { isObject } from '../syntax/raw-value.ts';

/** In the order of the passes. `unordered`: a sort by a relation itself. */
const passes = ['unknown', 'dynamiczone', 'polymorphic', 'password', 'private', 'unordered', 'forbidden'] as const;
type Pass = (typeof passes)[number];

/** Throws for a wrong name in `filters`, where the dialect checks names first. */
export function checkFilterNames(binding: Binding, type: EntryType, filters: unknown, param: string): void {
  if (!binding.dialect.checksNamesFirst) return;
  const check = new NameCheck(binding, param, type);
  check.filters(filters, type, null);
  check.report();
}

/** The same for `sort`. */
export function checkSortNames(binding: Binding, type: EntryType, sort: unknown, param: string): void {
  if (!binding.dialect.checksNamesFirst) return;
  const check = new NameCheck(binding, param, type);
  check.sort(sort, type, null);
  check.report();
}

/** A type that a sort leads to, and the path to it. */
interface Reached {
  readonly type: EntryType;
  readonly path: Path;
}

class NameCheck {
  readonly #binding: Binding;
  readonly #param: string;
  readonly #root: EntryType;
  #found: { pass: number; error: ValidationError } | null = null;

  constructor(binding: Binding, param: string, root: EntryType) {
    this.#binding = binding;
    this.#param = param;
    this.#root = root;
  }

  report(): void {
    if (this.#found) throw this.#found.error;
  }

  /** Everything under one type. */
  filters(value: unknown, type: EntryType, path: Path): void {
    if (!isObject(value)) return;
    if (Array.isArray(value)) for (const item of value) this.filters(item, type, path);
    else for (const [key, inner] of Object.entries(value)) this.#filter(key, inner, type, path);
  }

  #filter(key: string, value: unknown, type: EntryType, path: Path): void {
    const attribute = identifiers.has(key) ? undefined : type.attributes.get(key);
    if (!attribute) {
      const isOperator = operators.has(key) || logicalOperators.has(key);
      if (!isOperator && !identifiers.has(key)) this.#note('unknown', key, path);
      // an object that is an operand holds no names
      const isOperand =
        isOperator && key !== '$not' && isObject(value) && !Array.isArray(value) && !holdsNames(value, type);
      if (!isOperand) this.filters(value, type, path);
      return;
    }
    const at = childPath(path, key);
    if (!isScalar(attribute)) {
      const target = this.#enter(attribute, at);
      if (target) this.filters(value, target, at);
      return;
    }
    if (attribute.private) this.#note(attribute.type === 'password' ? 'password' : 'private', key, at);
    if (!Array.isArray(value)) this.filters(value, type, at);
  }

  sort(value: unknown, type: EntryType, path: Path): void {
    if (typeof value === 'string') {
      for (const text of value.split(',')) this.#sortPath(text, type, path);
    } else if (Array.isArray(value)) {
      if (!ordersSomething(value)) return;
      const isOfOneForm = ['string', 'object'].some((form) =>
        value.every((item) => item !== null && typeof item === form),
      );
      if (isOfOneForm) for (const item of value) this.sort(item, type, path);
      // a list that mixes both forms is taken for an object, whose first key then is 0
      else this.#note('unknown', '0', path);
    } else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        const next = this.#sortKey(key, isEmpty(inner), type, path);
        if (next) this.sort(inner, next.type, next.path);
      }
    }
  }

  /** A dotted path. Takes time in proportion to its length: one look-up for each name. */
  #sortPath(text: string, root: EntryType, path: Path): void {
    const [first, ...others] = text.trim().split(/[.:]/);
    const names = [first, ...others.filter((name) => name !== '')];
    this.#binding.budget.checkDepth(this.#param, names.length);
    // the service takes what every object has for a sort that it has read already
    if (names.some((name) => name in Object.prototype)) throw new ValidationError('Invalid sort query');
    let at: Reached = { type: root, path };
    for (const [i, name] of names.entries()) {
      // the service reads what follows each dot as a sort of its own, without the space before it
      const key = name.trimStart();
      if (key === '') return;
      if (key in Object.prototype) throw new ValidationError('Invalid sort query');
      const next = this.#sortKey(key, i === names.length - 1, at.type, at.path);
      if (!next) return;
      at = next;
    }
  }

  /** Notes what is wrong with one name, and gives the place below it. `isLast`: nothing follows the name. */
  #sortKey(key: string, isLast: boolean, type: EntryType, path: Path): Reached | null {
    if (identifiers.has(key)) return null;
    const attribute = type.attributes.get(key);
    if (!attribute) {
      if (!isStatusKey(this.#root, key)) this.#note('unknown', key, path);
      else if (isLast) this.#note('unordered', key, path);
      return null;
    }
    const at = childPath(path, key);
    if (isScalar(attribute)) {
      if (attribute.private) this.#note(attribute.type === 'password' ? 'password' : 'private', key, at);
      return null;
    }
    if (isLast) this.#note('unordered', key, at);
    const target = this.#enter(attribute, at);
    return target && { type: target, path: at };
  }

  /** Notes what is wrong with an attribute that leads elsewhere, and gives the type that the passes follow it to. */
  #enter(attribute: LinkAttribute, at: string): EntryType | null {
    const { name, kind } = attribute;
    if (attribute.private) this.#note('private', name, at);
    if (isPolymorphic(attribute)) {
      this.#note(kind as 'dynamiczone' | 'polymorphic', name, at);
      return null;
    }
    if (!attribute.private && !mayFollow(this.#binding, attribute)) this.#note('forbidden', name, at);
    // what the snapshot does not hold is private, and nothing is known of it
    return attribute.fromPolymorphic ? null : (this.#binding.schema.types.get(attribute.target) ?? null);
  }

  #note(pass: Pass, key: string, path: Path): void {
    const number = passes.indexOf(pass);
    if (this.#found && this.#found.pass <= number) return;
    this.#found = { pass: number, error: invalidKey(this.#param, key, path) };
  }
}

/**
 * `status` is no attribute, but may stand in a sort of a type with drafts, at any depth and with any order. The
 * recorded service lets it pass and then takes it out: it sorts nothing.
 */
export function isStatusKey({ draftAndPublish }: EntryType, name: string): boolean {
  return name === 'status' && draftAndPublish;
}

/** Whether a sort holds a text with a name, or an object with a text as order; otherwise it is no sort at all. */
export function ordersSomething(sort: unknown): boolean {
  if (typeof sort === 'string') return sort.split(',').some((text) => text.split(':')[0].trim() !== '');
  if (Array.isArray(sort)) return sort.some((item) => !Array.isArray(item) && ordersSomething(item));
  return isObject(sort) && Object.values(sort).some(isOrder);
}

function isOrder(order: unknown): boolean {
  if (typeof order === 'string') return order !== '';
  return isObject(order) && !Array.isArray(order) && Object.values(order).some(isOrder);
}

function holdsNames(value: object, type: EntryType | null): boolean {
  return Object.keys(value).some(
    (key) => operators.has(key) || logicalOperators.has(key) || (!identifiers.has(key) && type?.attributes.has(key)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'string' ? value === '' : !isObject(value) || Object.keys(value).length === 0;
}
