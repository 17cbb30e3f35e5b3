import { isRelation, isScalar, type Schema } from '../model/schema.ts';
import { comparisonKindOf } from '../model/value-types.ts';
import { attributeTag, rowsTag, type Tag, valueTag } from '../store/tags.ts';
import { type BoundQuery, type Condition, everyVersion, type Selection, type SortKey } from './bound.ts';

/** What a query reads of the content to find its rows. */
export interface QueryTags {
  /** What decides which rows a reply shows, and in which order. The rows that it shows are not among them. */
  readonly tags: ReadonlySet<Tag>;
  /** The uids of all types whose rows may be read. */
  readonly types: ReadonlySet<string>;
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
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  addRoot({ type: uid, filter, sort, selection, publication }: BoundQuery, key: Condition | null): void {
    this.types.add(uid);
    const conditions = [filter, key].filter((condition) => condition !== null);
    // rows without the value are not found, whatever changes about them
    const equality = publication === null ? this.#equality(uid, conditions) : null;
    for (const condition of conditions) this.addCondition(uid, condition, equality === null);
    for (const sortKey of sort) {
      if (equality === null || sortKey.path.length > 1) this.#addPath(uid, sortKey);
    }
    this.tags.add(equality ?? rowsTag(uid));
    this.#addSelection(uid, selection, publication !== null);
  }

  /** Without `withOwn`, leaves out the values of the rows themselves. */
  addCondition(uid: string, condition: Condition, withOwn = true): void {
    switch (condition.kind) {
      case 'value':
        if (withOwn) this.tags.add(attributeTag(uid, condition.attribute));
        return;
      case 'related':
        return this.addCondition(this.#follow(uid, condition.attribute), condition.condition);
      case 'not':
        return this.addCondition(uid, condition.condition, withOwn);
      case 'all':
      case 'any':
        for (const each of condition.conditions) this.addCondition(uid, each, withOwn);
        return;
      default:
        condition satisfies never;
    }
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

  /** The tag of a value that every row must have which the conditions are true of; null if there is none. */
  #equality(uid: string, conditions: readonly Condition[]): Tag | null {
    for (const condition of conditions) {
      if (condition.kind === 'all') {
        const inner = this.#equality(uid, condition.conditions);
        if (inner !== null) return inner;
      }
      if (condition.kind !== 'value' || condition.comparison !== 'equal' || condition.negated) continue;
      const attribute = this.#schema.type(uid).attributes.get(condition.attribute);
      const hasValues = attribute && isScalar(attribute) && comparisonKindOf(attribute.type) !== 'presence';
      if (hasValues) return valueTag(uid, condition.attribute, condition.operands[0]);
    }
    return null;
  }
}
