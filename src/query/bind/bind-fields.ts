import { type EntryType, isScalar, servedScalars } from '../../model/schema/schema.ts';
import type { Populated, Selection } from '../bound.ts';
import type { Binding, SelectedRows } from '../policies.ts';
import type { Part } from '../syntax/location.ts';
import type { FieldsNode } from '../syntax/parameter-nodes.ts';
import { findAttribute } from './find-attribute.ts';

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
