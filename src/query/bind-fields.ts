import { type EntryType, isScalar, servedScalars } from '../schema/schema.ts';
import { type Binding, findAttribute, wrongName } from './binding.ts';
import type { Populated, Selection, SortKey } from './bound.ts';
import type { Part } from './place.ts';

/** The names of the scalar attributes asked for, in the order of the schema, or null for all. */
export function bindFields(binding: Binding, type: EntryType, value: unknown, part: Part): string[] | null {
  if (value === undefined || value === null) return null;
  const list = Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === 'string')) throw binding.messages.fieldsForm(part, value);
  const { privateLast } = binding.messages;
  const names = list.flatMap((item) => item.split(',')).map((name) => name.trim());
  const isEvery = names.includes('*');
  if (isEvery && privateLast) return null;
  for (const name of names) {
    if (name === '*') continue;
    const attribute = type.attributes.get(name);
    const isUsable = attribute && isScalar(attribute) && (privateLast || !attribute.private);
    if (!isUsable) throw wrongName(binding, part, type, name, part.path, 'field');
  }
  if (isEvery) return null;
  for (const name of names) findAttribute(binding, part, type, name, part.path, 'field');
  return inOrder(type, new Set([...names, 'id', 'documentId']));
}

/** Fields and what is populated, with the quirks of the dialect. */
export function select(
  binding: Binding,
  type: EntryType,
  fields: string[] | null,
  populate: Populated[],
  sort: readonly SortKey[],
): Selection {
  if (fields === null) return { fields, populate };
  const { servesSortKeys, losesPolymorphicWithFields } = binding.dialect;
  const asked = new Set(fields);
  // a sort that leads through a relation is a query around the one that is sorted, and takes its columns out again
  const isOwn = sort.every(({ path }) => path.length === 1);
  if (servesSortKeys && isOwn) for (const { path } of sort) asked.add(path[0]);
  const isLost = (name: string) => {
    const attribute = type.attributes.get(name)!;
    return losesPolymorphicWithFields && attribute.kind === 'polymorphic' && !attribute.many;
  };
  return {
    fields: inOrder(type, asked),
    populate: populate.map((populated) => (isLost(populated.attribute) ? { ...populated, targets: {} } : populated)),
  };
}

function inOrder(type: EntryType, names: ReadonlySet<string>): string[] {
  return servedScalars(type)
    .map(({ name }) => name)
    .filter((name) => names.has(name));
}
