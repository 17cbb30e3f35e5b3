import { isRelation, isScalar, type Schema } from '../model/schema.ts';
import { comparisonKindOf } from '../model/value-types.ts';
import {
  attributeTag,
  longTextTag,
  rowsTag,
  type Tag,
  trigramsOf,
  trigramTag,
  valuesWithTag,
  valueTag,
} from '../store/tags.ts';
import {
  type BoundQuery,
  type Condition,
  everyVersion,
  type Operand,
  type Selection,
  type SortKey,
  type ValueCondition,
} from './bound.ts';
import type { Comparison } from './operators.ts';

/** What a query reads of the content to find its rows. */
export interface QueryTags {
  /** What decides which rows a reply shows, and in which order. The rows that it shows are not among them. */
  readonly tags: ReadonlySet<Tag>;
  /**
   * The tag of the first sort key, which is left out of the others, if it is an attribute of text: on a list, only texts
   * up to that of the last row count. Null for another sort key.
   */
  readonly firstSort: FirstSort | null;
  /** The uids of all types whose rows may be read. */
  readonly types: ReadonlySet<string>;
}

/** A value that all rows which a query finds have. */
interface Equality {
  readonly name: string;
  readonly value: Operand;
}

/** The comparisons that are true only of texts that hold the operand, after folding case. */
const containing: ReadonlySet<Comparison> = new Set<Comparison>([
  'equal',
  'equalFolded',
  'oneOf',
  'contains',
  'containsFolded',
  'startsWith',
  'startsWithFolded',
  'endsWith',
  'endsWithFolded',
]);

/** Returns a trigram of an operand: the greatest, which has rare letters. Null if the operand is no text or too short. */
function trigramOf(operand: Operand): string | null {
  return typeof operand === 'string' ? ([...trigramsOf(operand)].sort().at(-1) ?? null) : null;
}

/** The first sort key of a query. */
export interface FirstSort {
  readonly key: SortKey;
  readonly tag: Tag;
}

/** Returns what a query depends on. `key` is the condition on the entry that the path names. */
export function queryTags(schema: Schema, query: BoundQuery, key: Condition | null): QueryTags {
  const collector = new TagCollector(schema);
  collector.addRoot(query, key);
  return collector;
}

/** Returns the uids of the types that conditions on a type read. */
export function typesRead(schema: Schema, uid: string, conditions: readonly Condition[]): ReadonlySet<string> {
  const collector = new TagCollector(schema);
  for (const condition of conditions) collector.addCondition(uid, condition);
  return collector.types.add(uid);
}

class TagCollector implements QueryTags {
  readonly tags = new Set<Tag>();
  readonly types = new Set<string>();
  firstSort: FirstSort | null = null;
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  addRoot({ type: uid, filter, sort, selection, publication }: BoundQuery, key: Condition | null): void {
    this.types.add(uid);
    const conditions = [filter, key].filter((condition) => condition !== null);
    // rows without the value are not found, whatever changes about them
    const equality = publication === null ? this.#equality(uid, conditions) : null;
    for (const condition of conditions) this.addCondition(uid, condition, equality);
    for (const [i, sortKey] of sort.entries()) {
      const [name] = sortKey.path;
      if (i === 0 && equality === null && sortKey.path.length === 1 && this.#isText(uid, name)) {
        this.firstSort = { key: sortKey, tag: attributeTag(uid, name) };
      } else if (equality === null || sortKey.path.length > 1) this.#addPath(uid, sortKey);
      else this.tags.add(valuesWithTag(uid, sortKey.path[0], equality.name, equality.value));
    }
    this.tags.add(equality ? valueTag(uid, equality.name, equality.value) : rowsTag(uid));
    this.#addSelection(uid, selection, publication !== null);
  }

  /** With an equality, only values of rows that have its value count. */
  addCondition(uid: string, condition: Condition, equality: Equality | null = null): void {
    switch (condition.kind) {
      case 'value':
        if (equality === null) return this.#addComparison(uid, condition);
        if (condition.attribute === equality.name) return;
        this.tags.add(valuesWithTag(uid, condition.attribute, equality.name, equality.value));
        return;
      case 'related':
        return this.addCondition(this.#follow(uid, condition.attribute), condition.condition);
      case 'not':
        return this.addCondition(uid, condition.condition, equality);
      case 'all':
      case 'any':
        for (const each of condition.conditions) this.addCondition(uid, each, equality);
        return;
      default:
        condition satisfies never;
    }
  }

  #addComparison(uid: string, { attribute: name, comparison, operands, negated }: ValueCondition): void {
    const trigrams =
      this.#isText(uid, name) && !negated && containing.has(comparison) ? operands.map(trigramOf) : [null];
    if (trigrams.includes(null)) this.tags.add(attributeTag(uid, name));
    else {
      this.tags.add(longTextTag(uid, name));
      for (const trigram of trigrams) this.tags.add(trigramTag(uid, name, trigram!));
    }
  }

  #isText(uid: string, name: string): boolean {
    const attribute = this.#schema.type(uid).attributes.get(name);
    return attribute !== undefined && isScalar(attribute) && comparisonKindOf(attribute.type) === 'text';
  }

  #addPath(uid: string, { path }: SortKey): void {
    const last = path.slice(0, -1).reduce((from, name) => this.#follow(from, name), uid);
    this.tags.add(attributeTag(last, path.at(-1)!));
  }

  /** Adds the rows that links lead to, and returns their type. */
  #follow(uid: string, name: string): string {
    const attribute = this.#schema.type(uid).attributes.get(name);
    const target = attribute && isRelation(attribute) ? attribute.target : uid;
    // the versions of a row are those of its document
    this.tags.add(name === everyVersion && !attribute ? rowsTag(uid) : attributeTag(uid, name));
    this.tags.add(rowsTag(target));
    this.types.add(target);
    return target;
  }

  #addSelection(uid: string, { populate }: Selection, comparesVersions: boolean): void {
    if (comparesVersions) {
      this.tags.add(rowsTag(uid));
      this.tags.add(attributeTag(uid, 'updatedAt'));
    }
    for (const { count, sort, targets } of populate) {
      for (const [target, { filter, ...selection }] of Object.entries(targets)) {
        this.types.add(target);
        // the rows that are counted are not shown
        if (count) this.tags.add(rowsTag(target));
        if (filter) this.addCondition(target, filter);
        for (const key of sort ?? []) this.#addPath(target, key);
        this.#addSelection(target, selection, comparesVersions);
      }
    }
  }

  /** A value that every row must have which the conditions are true of; null if there is none. */
  #equality(uid: string, conditions: readonly Condition[]): Equality | null {
    for (const condition of conditions) {
      if (condition.kind === 'all') {
        const inner = this.#equality(uid, condition.conditions);
        if (inner !== null) return inner;
      }
      if (condition.kind !== 'value' || condition.comparison !== 'equal' || condition.negated) continue;
      const attribute = this.#schema.type(uid).attributes.get(condition.attribute);
      const hasValues = attribute && isScalar(attribute) && comparisonKindOf(attribute.type) !== 'presence';
      if (hasValues) return { name: condition.attribute, value: condition.operands[0] };
    }
    return null;
  }
}
