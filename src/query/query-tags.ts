import { type Attribute, isRelation, type Schema } from '../model/schema/schema.ts';
import { hasPlaces } from '../store/tags/order-tags.ts';
import { attributeTag, draftsOf, rowsTag, type Tag, valuesWithTag, valueTag, valueTagsOf } from '../store/tags/tags.ts';
import { isText, tagsOfOperands } from '../store/tags/text-tags.ts';
import {
  type BoundQuery,
  type Condition,
  everyVersion,
  type Operand,
  type Selection,
  type SortKey,
  type Status,
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
  /** What tags name for all rows that may be read: uids of types, and of their drafts. */
  readonly rows: ReadonlySet<string>;
}

/** What tags depend on besides the query. */
export interface TagContext {
  readonly schema: Schema;
  /** The status of the rows that filters and sorts reach through relations; null: every status. */
  readonly linkedStatus: Status | null;
  /** Returns whether the rows of a type have a status. */
  hasDrafts(uid: string): boolean;
}

/** A value that all rows which a query finds have. */
interface Equality {
  readonly name: string;
  readonly value: Operand;
  /** The tag of the value is stale after every change of these rows. */
  readonly coversRows: boolean;
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

/** The first sort key of a query. */
export interface FirstSort {
  readonly key: SortKey;
  /** What tags name for the rows that are sorted. */
  readonly rows: string;
  readonly tag: Tag;
}

/** Returns what a query depends on. `key` is the condition on the entry that the path names. */
export function queryTags(context: TagContext, query: BoundQuery, key: Condition | null): QueryTags {
  const collector = new TagCollector(context);
  collector.addRoot(query, key);
  return collector;
}

/** Returns the uids of all types that a query may read. */
export function typesOfQuery(schema: Schema, query: BoundQuery): ReadonlySet<string> {
  return queryTags(withoutStatus(schema), query, null).rows;
}

/** Returns the uids of the types that conditions on a type read. */
export function typesRead(schema: Schema, uid: string, conditions: readonly Condition[]): ReadonlySet<string> {
  const collector = new TagCollector(withoutStatus(schema));
  for (const condition of conditions) collector.addCondition(uid, null, condition);
  return collector.rows.add(uid);
}

/** As if no type had drafts. */
function withoutStatus(schema: Schema): TagContext {
  return { schema, linkedStatus: null, hasDrafts: () => false };
}

class TagCollector implements QueryTags {
  readonly tags = new Set<Tag>();
  readonly rows = new Set<string>();
  firstSort: FirstSort | null = null;
  readonly #context: TagContext;

  constructor(context: TagContext) {
    this.#context = context;
  }

  addRoot({ type: uid, status, filter, sort, selection, publication }: BoundQuery, key: Condition | null): void {
    const rows = this.#rowsOf(uid, status);
    const conditions = [filter, key].filter((condition) => condition !== null);
    // rows without the value are not found, whatever changes about them
    const equality = publication === null ? this.#equality(uid, conditions) : null;
    for (const condition of conditions) this.addCondition(uid, status, condition, equality);
    for (const [i, sortKey] of sort.entries()) {
      const [name] = sortKey.path;
      const isFirst = i === 0 && equality === null && sortKey.path.length === 1;
      if (isFirst && hasPlaces(this.#attribute(uid, name)) && rows.length === 1) {
        this.firstSort = { key: sortKey, rows: rows[0], tag: attributeTag(rows[0], name) };
      } else if (equality === null || sortKey.path.length > 1) this.#addPath(uid, status, sortKey);
      else this.#addValuesWith(rows, name, equality);
    }
    this.#add(rows, (each) => (equality ? valueTag(each, equality.name, equality.value) : rowsTag(each)));
    this.#addSelection(uid, status, selection, publication !== null);
  }

  /** Returns what tags name for the rows of a type with a status. */
  #rowsOf(uid: string, status: Status | null): readonly string[] {
    const hasDrafts = this.#context.hasDrafts(uid);
    const rows = [
      ...(hasDrafts && status === 'draft' ? [] : [uid]),
      ...(hasDrafts && status !== 'published' ? [draftsOf(uid)] : []),
    ];
    for (const each of rows) this.rows.add(each);
    return rows;
  }

  #add(rows: readonly string[], tagOf: (rows: string) => Tag): void {
    for (const each of rows) this.tags.add(tagOf(each));
  }

  /** With an equality, only values of rows that have its value count. */
  addCondition(uid: string, status: Status | null, condition: Condition, equality: Equality | null = null): void {
    switch (condition.kind) {
      case 'value': {
        const rows = this.#rowsOf(uid, status);
        if (equality === null) return this.#addComparison(uid, rows, condition);
        return this.#addValuesWith(rows, condition.attribute, equality);
      }
      case 'related': {
        const target = this.#follow(uid, status, condition.attribute);
        return this.addCondition(target, this.#context.linkedStatus, condition.condition);
      }
      case 'not':
        return this.addCondition(uid, status, condition.condition, equality);
      case 'all':
      case 'any':
        for (const each of condition.conditions) this.addCondition(uid, status, each, equality);
        return;
      default:
        condition satisfies never;
    }
  }

  /** Adds the values of an attribute in the rows that have the value of an equality. */
  #addValuesWith(rows: readonly string[], name: string, equality: Equality): void {
    // the value itself has a tag
    if (name === equality.name || equality.coversRows) return;
    this.#add(rows, (each) => valuesWithTag(each, name, equality.name, equality.value));
  }

  #addComparison(
    uid: string,
    rows: readonly string[],
    { attribute: name, comparison, operands, negated }: ValueCondition,
  ): void {
    const texts = operands.filter((operand) => typeof operand === 'string');
    const isContaining = isText(this.#attribute(uid, name)) && !negated && containing.has(comparison);
    for (const each of rows) {
      const tags = isContaining && texts.length === operands.length ? tagsOfOperands(each, name, texts) : null;
      for (const tag of tags ?? [attributeTag(each, name)]) this.tags.add(tag);
    }
  }

  #attribute(uid: string, name: string): Attribute | undefined {
    return this.#context.schema.type(uid).attributes.get(name);
  }

  #addPath(uid: string, status: Status | null, { path }: SortKey): void {
    let [type, reached] = [uid, status];
    for (const name of path.slice(0, -1)) {
      type = this.#follow(type, reached, name);
      reached = this.#context.linkedStatus;
    }
    this.#add(this.#rowsOf(type, reached), (each) => attributeTag(each, path.at(-1)!));
  }

  /** Adds the rows that links lead to, and returns their type. */
  #follow(uid: string, status: Status | null, name: string): string {
    const attribute = this.#attribute(uid, name);
    const target = attribute && isRelation(attribute) ? attribute.target : uid;
    // the versions of a row are those of its document
    if (name === everyVersion && !attribute) this.#add(this.#rowsOf(uid, null), rowsTag);
    else this.#add(this.#rowsOf(uid, status), (each) => attributeTag(each, name));
    this.#add(this.#rowsOf(target, this.#context.linkedStatus), rowsTag);
    return target;
  }

  #addSelection(uid: string, status: Status | null, { populate }: Selection, comparesVersions: boolean): void {
    if (comparesVersions) {
      this.#add(this.#rowsOf(uid, null), rowsTag);
      this.#add(this.#rowsOf(uid, null), (each) => attributeTag(each, 'updatedAt'));
    }
    for (const { count, sort, targets } of populate) {
      for (const [target, { filter, everyStatus, ...selection }] of Object.entries(targets)) {
        const shown = everyStatus ? null : status;
        const rows = this.#rowsOf(target, shown);
        // the rows that are counted are not shown
        if (count) this.#add(rows, rowsTag);
        if (filter) this.addCondition(target, shown, filter);
        for (const key of sort ?? []) this.#addPath(target, shown, key);
        this.#addSelection(target, status, selection, comparesVersions);
      }
    }
  }

  /** A value that every row must have which the conditions are true of, preferably an identifier; null: none. */
  #equality(uid: string, conditions: readonly Condition[]): Equality | null {
    const found = this.#equalities(uid, conditions);
    return found.find(({ coversRows }) => coversRows) ?? found[0] ?? null;
  }

  #equalities(uid: string, conditions: readonly Condition[]): Equality[] {
    return conditions.flatMap((condition): Equality[] => {
      if (condition.kind === 'all') return this.#equalities(uid, condition.conditions);
      if (condition.kind !== 'value' || condition.comparison !== 'equal' || condition.negated) return [];
      const { attribute: name, operands } = condition;
      const tags = valueTagsOf(this.#attribute(uid, name));
      return tags ? [{ name, value: operands[0], coversRows: tags === 'identifier' }] : [];
    });
  }
}
