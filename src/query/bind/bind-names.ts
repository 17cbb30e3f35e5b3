/** The names of a query: what each one leads to, and the binding of `sort` and `fields`, which are names alone. */
import {
  type Attribute,
  type EntryType,
  isRelation,
  isScalar,
  type RelationAttribute,
  type ScalarAttribute,
  servedScalars,
} from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { Populated, Selection, SortKey } from '../bound.ts';
import type { NameUse } from '../errors.ts';
import type { Binding, SelectedRows, UnresolvedSortKey } from '../policies.ts';
import { childPath, type Part, type Path } from '../syntax/location.ts';
import type { FieldsNode } from '../syntax/parameter-nodes.ts';
import type { SortNode } from '../syntax/sort-nodes.ts';
import { bindCountPath, bindRandomSort, byCount, countsEntries } from './bind-computed-sorts.ts';
import { mayFollow } from './context.ts';

/** Returns the attribute of a name. Throws for one that does not exist or that nobody may name. */
export function findAttribute(binding: Binding, type: EntryType, nameUse: NameUse): Attribute {
  const attribute = type.attributes.get(nameUse.name);
  if (!attribute || attribute.private) throw binding.policies.errors.wrongName(binding, type, nameUse);
  return attribute;
}

/** Returns whether a filter or a sort may lead through an attribute. */
export function leadsOn(binding: Binding, attribute: Attribute): attribute is RelationAttribute {
  return isRelation(attribute) && mayFollow(binding, attribute) && binding.policies.filter.leadsThrough(attribute);
}

/** Binds `sort` of a populated type. */
export function bindSort(binding: Binding, type: EntryType, node: SortNode, part: Part): SortKey[] {
  binding.policies.request.checkSortNames(binding, type, node, part.param);
  return bindCheckedSort(binding, type, node, part);
}

/** Binds a sort whose names have been checked. */
export function bindCheckedSort(binding: Binding, type: EntryType, node: SortNode, part: Part): SortKey[] {
  const keys = binding.policies.sort.read(binding.schema, type, node, part);
  const random = bindRandomSort(binding, type, keys, part);
  if (random) return [random];
  return keys.map((key) => {
    if (countsEntries(binding, key)) {
      return {
        path: bindCountPath(binding, type, key, part),
        by: byCount,
        descending: isDescending(binding, key, part),
      };
    }
    const { path, attribute } = bindPath(binding, type, key, part);
    const { nullIsLeast, sortsJsonText } = binding.policies.database;
    const descending = isDescending(binding, key, part);
    if (binding.language !== undefined && comparisonKindOf(attribute.type) === 'text') {
      const by = { kind: 'language', language: binding.language } as const;
      return { path, by, descending, ...(nullIsLeast && { nullIsLeast }) };
    }
    if (!nullIsLeast) return { path, descending };
    if (!sortsJsonText(attribute)) return { path, descending, nullIsLeast };
    return { path, descending, nullIsLeast, sortsJsonText: true };
  });
}

function isDescending({ policies }: Binding, { names, order, text }: UnresolvedSortKey, part: Part): boolean {
  if (order === undefined || order === null) return false;
  const name = String(order).toLowerCase();
  if (name !== 'asc' && name !== 'desc') throw policies.errors.wrongOrder(part, names.join('.'), text ?? order);
  return name === 'desc';
}

/** Follows the names through relations to a scalar attribute. Returns it, and the path as it is bound. */
export function bindPath(
  binding: Binding,
  type: EntryType,
  { names, text }: Pick<UnresolvedSortKey, 'names' | 'text'>,
  part: Part,
): { path: string[]; attribute: ScalarAttribute } {
  binding.budget.checkDepth(part.param, names);
  binding.budget.countSortKey(part.param, names.length);
  let current = type;
  let parent: Path = null;
  let last: ScalarAttribute | null = null;
  const path = names.map((name, i) => {
    const nameUse = { part, name, parent, use: 'sort', value: text } as const;
    const attribute = findAttribute(binding, current, nameUse);
    const isLast = i === names.length - 1;
    if (isScalar(attribute) && isLast) {
      last = attribute;
      // the schema's own text: a slice of the query string would keep all of it in memory
      return attribute.name;
    }
    if (isScalar(attribute) || isLast || !leadsOn(binding, attribute)) {
      throw binding.policies.errors.wrongName(binding, current, nameUse);
    }
    current = binding.schema.type(attribute.target);
    parent = childPath(parent, name);
    return binding.policies.filter.boundName(attribute);
  });
  // a sort key has a name, and the last one is that of a scalar attribute
  return { path, attribute: last! };
}

/**
 * Binds `fields`. Returns the names of scalar attributes in the order of the schema, or null for all. A wrong name is a
 * mistake beside a star, too.
 */
export function bindFields(binding: Binding, type: EntryType, node: FieldsNode | null, part: Part): string[] | null {
  if (node === null) return null;
  const { selection, errors } = binding.policies;
  const fields = selection.readFields(node);
  if (fields === null) throw errors.wrongFields(part, node.raw);
  const nameUse = (name: string) => ({ part, name, parent: null, use: 'field' }) as const;
  for (const name of fields.names) {
    const attribute = type.attributes.get(name);
    const isUsable = attribute && isScalar(attribute) && (selection.reportsPrivateLast || !attribute.private);
    if (!isUsable) throw errors.wrongName(binding, type, nameUse(name));
  }
  for (const name of fields.names) findAttribute(binding, type, nameUse(name));
  if (fields.isMalformed) throw errors.wrongFields(part, node.raw);
  return fields.hasStar ? null : fieldsInSchemaOrder(type, new Set([...fields.names, 'id', 'documentId']));
}

/** Combines fields and populated attributes. */
export function bindSelection(
  { policies }: Binding,
  type: EntryType,
  fields: string[] | null,
  populate: Populated[],
  rows: SelectedRows,
): Selection {
  if (fields === null) return { fields, populate };
  const { selection } = policies;
  const names = new Set([...fields, ...selection.fieldsAddedBySort(rows)]);
  return { fields: fieldsInSchemaOrder(type, names), populate: selection.populatedBesideFields(type, populate) };
}

function fieldsInSchemaOrder(type: EntryType, names: ReadonlySet<string>): string[] {
  return servedScalars(type)
    .map(({ name }) => name)
    .filter((name) => names.has(name));
}
