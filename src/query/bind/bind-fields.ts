import { type EntryType, isScalar, servedScalars } from '../../model/schema.ts';
import type { Populated, Selection, SortKey } from '../bound.ts';
import type { Part } from '../syntax/place.ts';
import { type Binding, findAttribute, wrongName } from './binding.ts';

/**
 * The names of the scalar attributes asked for, in the order of the schema, or null for all. A wrong name is an error
 * beside a star too.
 */
export function bindFields(binding: Binding, type: EntryType, value: unknown, part: Part): string[] | null {
  if (value === undefined || value === null) return null;
  const { dropsEmptyParts, readsFieldsStrictly } = binding.dialect;
  const list = [value].flat().filter((item) => item !== null || !dropsEmptyParts);
  if (!list.every((item) => typeof item === 'string')) throw binding.messages.fieldsForm(part, value);
  const { privateLast } = binding.messages;
  const isStar = (text: string) => (readsFieldsStrictly ? text : text.trim()) === '*';
  const asked = list.flatMap((item) => item.split(','));
  const names = asked.filter((text) => !isStar(text)).map((name) => name.trim());
  for (const name of names) {
    const attribute = type.attributes.get(name);
    const isUsable = attribute && isScalar(attribute) && (privateLast || !attribute.private);
    if (!isUsable) throw wrongName(binding, part, type, name, part.path, 'field');
  }
  for (const name of names) findAttribute(binding, part, type, name, part.path, 'field');
  if (readsFieldsStrictly && Array.isArray(value) && asked.length > list.length) {
    throw binding.messages.fieldsForm(part, value);
  }
  if (names.length < asked.length) return null;
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
