import { type Attribute, folderType, isRelation, type Schema } from '../model/schema/schema.ts';
import { attributeTag, draftsOf, identifierTag, isIdentifier, rowsTag, type Tag } from '../store/tags/tags.ts';
import {
  type BoundQuery,
  type Condition,
  everyVersion,
  folderOfFile,
  type Selection,
  type SortKey,
  type Status,
  type ValueCondition,
} from './bound.ts';

/** What a query reads of the content to find its rows. */
export interface QueryTags {
  /** What decides which rows a reply shows, and in which order. The rows that it shows are not among them. */
  readonly tags: ReadonlySet<Tag>;
  /** The names in tags of all rows that may be read: uids of types, and of their drafts. */
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

/** Returns the uids of the types that conditions on a type and a sort read. */
export function typesRead(
  schema: Schema,
  uid: string,
  conditions: readonly Condition[],
  sort: readonly SortKey[] = [],
): ReadonlySet<string> {
  const collector = new TagCollector(withoutStatus(schema));
  for (const condition of conditions) collector.addCondition(uid, null, condition);
  for (const key of sort) collector.addPath(uid, null, key);
  return collector.rows.add(uid);
}

/** As if no type had drafts. */
function withoutStatus(schema: Schema): TagContext {
  return { schema, linkedStatus: null, hasDrafts: () => false };
}

class TagCollector implements QueryTags {
  readonly tags = new Set<Tag>();
  readonly rows = new Set<string>();
  readonly #context: TagContext;
  #comparesVersions = false;
  /** Which row of a document is shown depends on all its rows. */
  #showsOneVersion = false;

  constructor(context: TagContext) {
    this.#context = context;
  }

  addRoot(
    { type: uid, status, filter, sort, selection, publication, locales, folder, facets = [] }: BoundQuery,
    key: Condition | null,
  ): void {
    const conditions = [filter, key].filter((condition) => condition !== null);
    this.#showsOneVersion = locales !== undefined;
    const found = publication === null && !locales ? this.#identifierIn(uid, conditions) : null;
    const rows = this.#rowsOf(uid, status);
    // the tag of an identifier stands for all values of its rows, and no other row is found
    for (const condition of conditions) this.addCondition(uid, status, condition, found !== null);
    this.#comparesVersions = publication !== null;
    for (const key of sort) if (!found || key.path.length > 1 || key.by) this.addPath(uid, status, key);
    for (const key of facets) if (!found || key.path.length > 1) this.addPath(uid, status, key);
    if (folder) this.#addFolders(uid);
    this.#add(rows, (each) => (found ? identifierTag(each, found.attribute, found.operands[0]) : rowsTag(each)));
    this.#addSelection(uid, status, selection, publication !== null);
  }

  /** Returns the names in tags of the rows of a type with a status. */
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

  /** Leaves out the values of the rows themselves if another tag stands for them. */
  addCondition(uid: string, status: Status | null, condition: Condition, areValuesTagged = false): void {
    switch (condition.kind) {
      case 'value': {
        const rows = this.#rowsOf(uid, status);
        if (!areValuesTagged) this.#add(rows, (each) => attributeTag(each, condition.attribute));
        return;
      }
      case 'related': {
        const target = this.#follow(uid, status, condition.attribute, condition.component);
        return this.addCondition(target, this.#context.linkedStatus, condition.condition);
      }
      case 'not':
        return this.addCondition(uid, status, condition.condition, areValuesTagged);
      case 'all':
      case 'any':
        for (const each of condition.conditions) this.addCondition(uid, status, each, areValuesTagged);
        return;
      default:
        condition satisfies never;
    }
  }

  /** Files are found by the names of folders, and by what is in what. */
  #addFolders(uid: string): void {
    if (!this.#context.schema.types.has(folderType)) return;
    this.#add(this.#rowsOf(folderType, null), rowsTag);
    for (const name of ['name', 'parent', 'children', 'files']) this.tags.add(attributeTag(folderType, name));
    this.tags.add(attributeTag(uid, 'folder'));
  }

  #attribute(uid: string, name: string): Attribute | undefined {
    return this.#context.schema.type(uid).attributes.get(name);
  }

  addPath(uid: string, status: Status | null, { path, by }: Pick<SortKey, 'path' | 'by'>): void {
    let [type, reached] = [uid, status];
    for (const name of path.slice(0, -1)) {
      type = this.#follow(type, reached, name);
      reached = this.#context.linkedStatus;
    }
    this.#add(this.#rowsOf(type, reached), (each) => attributeTag(each, path.at(-1)!));
    if (by?.kind !== 'count') return;
    // links are counted to rows of the query's status
    const counted = this.#rowsOf(this.#follow(type, reached, path.at(-1)!), null);
    this.#add(counted, rowsTag);
    if (this.#comparesVersions) this.#add(counted, (each) => attributeTag(each, 'updatedAt'));
  }

  /** Adds the rows that links lead to, and returns their type. */
  #follow(uid: string, status: Status | null, name: string, component?: string): string {
    const attribute = this.#attribute(uid, name);
    const ofVersions = name === folderOfFile ? folderType : uid;
    const target = component ?? (attribute && isRelation(attribute) ? attribute.target : ofVersions);
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
        if (count || this.#showsOneVersion) this.#add(rows, rowsTag);
        if (filter) this.addCondition(target, shown, filter);
        for (const key of sort ?? []) this.addPath(target, shown, key);
        this.#addSelection(target, status, selection, comparesVersions);
      }
    }
  }

  /** Returns a condition that every row which satisfies all conditions has a certain identifier, or null. */
  #identifierIn(uid: string, conditions: readonly Condition[]): ValueCondition | null {
    for (const condition of conditions) {
      const found = condition.kind === 'all' ? this.#identifierIn(uid, condition.conditions) : condition;
      if (found?.kind !== 'value' || found.comparison !== 'equal' || found.negated) continue;
      if (isIdentifier(this.#attribute(uid, found.attribute))) return found;
    }
    return null;
  }
}
