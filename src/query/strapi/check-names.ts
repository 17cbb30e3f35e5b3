/**
 * Strapi looks for wrong names in several passes over a whole `filters` or `sort`, before it looks at any value. The
 * first pass that finds something decides what is reported. This is one walk that remembers what the earliest of those
 * passes would find first.
 */
import { invalidKey, ValidationError } from '../../core/errors.ts';
import {
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type ScalarAttribute,
} from '../../model/schema/schema.ts';
import { isComputedName } from '../bind/bind-computed-sorts.ts';
import { membersOfOn } from '../bind/bind-zone-filters.ts';
import { type BindingContext, mayFollow } from '../bind/context.ts';
import type { FilterNode, MemberNode } from '../syntax/filter-nodes.ts';
import { childPath, type Path } from '../syntax/location.ts';
import type { SortNode } from '../syntax/sort-nodes.ts';
import { idNames } from './errors.ts';
import { isStatusKey, sortsSomething } from './sort.ts';

/** In the order of the passes. `unordered`: a sort by a relation itself. */
const passes = ['unknown', 'dynamiczone', 'polymorphic', 'password', 'private', 'unordered', 'forbidden'] as const;
type Pass = (typeof passes)[number];

/** Throws for a wrong name in `filters`. */
export function checkFilterNames(context: BindingContext, type: EntryType, filters: FilterNode, param: string): void {
  const check = new NameCheck(context, param, type);
  check.filter(filters, type, null);
  check.report();
}

/** Throws for a wrong name in `sort`. */
export function checkSortNames(context: BindingContext, type: EntryType, sort: SortNode, param: string): void {
  const check = new NameCheck(context, param, type);
  check.sort(sort, type, null);
  check.report();
}

/** A type that a sort leads to, and the path to it. */
interface Target {
  readonly type: EntryType;
  readonly path: Path;
}

/**
 * Finds the first wrong name in the order of the passes. Its paths leave out `id` and `documentId`, unlike those of
 * nodes.
 */
class NameCheck {
  readonly #context: BindingContext;
  readonly #param: string;
  readonly #root: EntryType;
  #found: { pass: number; error: ValidationError } | null = null;

  constructor(context: BindingContext, param: string, root: EntryType) {
    this.#context = context;
    this.#param = param;
    this.#root = root;
  }

  report(): void {
    if (this.#found) throw this.#found.error;
  }

  /** Checks everything under one type. */
  filter(node: FilterNode, type: EntryType, path: Path): void {
    switch (node.kind) {
      case 'list':
        for (const item of node.items) this.filter(item, type, path);
        break;
      case 'group':
        for (const member of node.members) this.#member(member, type, path);
        break;
      case 'value':
        break;
      default:
        node satisfies never;
    }
  }

  #member(member: MemberNode, type: EntryType, path: Path): void {
    const { kind, key, value } = member;
    switch (kind) {
      case 'attribute':
        this.#attribute(key, value, type, path);
        break;
      case 'unknown':
        this.#note('unknown', key, path);
        this.filter(value, type, path);
        break;
      case 'comparison':
      case 'and':
      case 'or':
        // an object that is an operand holds no names
        if (value.kind !== 'group' || value.members.some((inner) => isName(inner, type))) {
          this.filter(value, type, path);
        }
        break;
      case 'not':
        this.filter(value, type, path);
        break;
      default:
        kind satisfies never;
    }
  }

  #attribute(name: string, value: FilterNode, type: EntryType, path: Path): void {
    if (idNames.has(name)) return this.filter(value, type, path);
    const attribute = type.attributes.get(name);
    if (!attribute) {
      this.#note('unknown', name, path);
      return this.filter(value, type, path);
    }
    const at = childPath(path, name);
    if (!isScalar(attribute)) {
      if (attribute.kind === 'dynamiczone' && this.#context.features.has('zoneFilters')) {
        return this.#zone(attribute, value, at);
      }
      const target = this.#enter(attribute, at);
      if (target) this.filter(value, target, at);
      return;
    }
    this.#notePrivate(attribute, at);
    if (value.kind !== 'list') this.filter(value, type, at);
  }

  /** Checks the names below the components of a zone. Mistakes in the form are found when values are. */
  #zone({ name, private: isPrivate }: LinkAttribute, node: FilterNode, at: string): void {
    if (isPrivate) this.#note('private', name, at);
    for (const { key, value } of membersOfOn(node) ?? []) {
      const component = this.#context.schema.types.get(key);
      if (component?.kind === 'component') this.filter(value, component, childPath(at, key));
    }
  }

  sort(node: SortNode, type: EntryType, path: Path): void {
    switch (node.kind) {
      case 'text':
        for (const { text } of node.keys) this.#sortPath(text, type, path);
        break;
      case 'list':
        if (!sortsSomething(node)) break;
        // a list that mixes both forms is taken for an object, whose first key then is 0
        if (!isOfOneForm(node.items)) this.#note('unknown', '0', path);
        else for (const item of node.items) this.sort(item, type, path);
        break;
      case 'object':
        for (const [key, value] of node.entries) {
          const next = this.#sortKey(key, isEmpty(value), type, path);
          if (next) this.sort(value, next.type, next.path);
        }
        break;
      case 'value':
        break;
      default:
        node satisfies never;
    }
  }

  /** Checks a dotted path, with one look-up for each name. */
  #sortPath(text: string, root: EntryType, path: Path): void {
    const [first, ...others] = text.trim().split(/[.:]/);
    const names = [first, ...others.filter((name) => name !== '')];
    this.#context.budget.checkDepth(this.#param, names);
    // Strapi takes the names that every object inherits for sorts that it has read already
    if (names.some((name) => name in Object.prototype)) throw new ValidationError('Invalid sort query');
    let at: Target = { type: root, path };
    for (const [i, name] of names.entries()) {
      // Strapi reads the text after each dot as a separate sort and trims its start
      const key = name.trimStart();
      if (key === '') return;
      if (key in Object.prototype) throw new ValidationError('Invalid sort query');
      const next = this.#sortKey(key, i === names.length - 1, at.type, at.path);
      if (!next) return;
      at = next;
    }
  }

  /** Notes the mistakes in one name. Returns the type and path below it. `isLast`: nothing follows the name. */
  #sortKey(key: string, isLast: boolean, type: EntryType, path: Path): Target | null {
    if (idNames.has(key) || isComputedName(this.#context, key)) return null;
    const attribute = type.attributes.get(key);
    if (!attribute) {
      if (!isStatusKey(this.#root, key)) this.#note('unknown', key, path);
      else if (isLast) this.#note('unordered', key, path);
      return null;
    }
    const at = childPath(path, key);
    if (isScalar(attribute)) {
      this.#notePrivate(attribute, at);
      return null;
    }
    if (isLast) this.#note('unordered', key, at);
    const target = this.#enter(attribute, at);
    return target && { type: target, path: at };
  }

  /** Notes the mistakes in a link. Returns the type that the passes follow it to. */
  #enter(attribute: LinkAttribute, at: string): EntryType | null {
    const { name } = attribute;
    if (attribute.private) this.#note('private', name, at);
    if (isPolymorphic(attribute)) {
      this.#note(attribute.kind, name, at);
      return null;
    }
    if (!attribute.private && !mayFollow(this.#context, attribute)) this.#note('forbidden', name, at);
    // a type that the snapshot does not hold is private, and nothing is known of it
    return attribute.fromPolymorphic ? null : (this.#context.schema.types.get(attribute.target) ?? null);
  }

  #notePrivate(attribute: ScalarAttribute, at: string): void {
    if (attribute.private) this.#note(attribute.type === 'password' ? 'password' : 'private', attribute.name, at);
  }

  #note(pass: Pass, key: string, path: Path): void {
    const number = passes.indexOf(pass);
    if (this.#found && this.#found.pass <= number) return;
    this.#found = { pass: number, error: invalidKey(this.#param, key, path) };
  }
}

/** Returns whether a key is an operator or an attribute of the type. */
function isName({ kind, key }: MemberNode, type: EntryType): boolean {
  if (kind === 'attribute') return !idNames.has(key) && type.attributes.has(key);
  return kind !== 'unknown';
}

/** Returns whether all items are texts, or all are objects. */
function isOfOneForm(items: readonly SortNode[]): boolean {
  const forms = items.map(({ raw }) => (raw === null ? 'null' : typeof raw));
  return forms.every((form) => form === 'string') || forms.every((form) => form === 'object');
}

function isEmpty(node: SortNode): boolean {
  switch (node.kind) {
    case 'text':
      return node.raw === '';
    case 'list':
      return node.items.length === 0;
    case 'object':
      return node.entries.length === 0;
    case 'value':
      return true;
    default:
      return node satisfies never;
  }
}
