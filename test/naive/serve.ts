import { mayFind } from './access.ts';
import type { Scope } from './filter.ts';
import { matches } from './matches.ts';
import { type Populated, readEverything, type Selection } from './populate.ts';
import { type Attribute, Unspecified } from './snapshot.ts';
import { sorted } from './sort.ts';
import { attributeOf, isMany, isPolymorphic, servedNames, type Type } from './types.ts';
import type { Row } from './world.ts';

export interface Serving extends Scope {
  status: 'published' | 'draft';
}

/** One entry or component as the reply shows it. */
export function serve(serving: Serving, row: Row, selection: Selection): Record<string, unknown> {
  const served: Record<string, unknown> = { id: row.id };
  if (row.documentId !== null) served.documentId = row.documentId;
  for (const name of servedNames(row.type)) {
    if (selection.fields === null || selection.fields.includes(name)) served[name] = row.scalars[name] ?? null;
  }
  for (const [name, populated] of selection.populate) {
    const attribute = attributeOf(row.type, name)!;
    if (isLost(serving, attribute, selection)) served[name] = null;
    else served[name] = servePopulated(serving, row, name, attribute, populated);
  }
  return served;
}

/** The recorded server serves null for a morphToOne relation of an entry whose `fields` are named. */
function isLost(serving: Serving, attribute: Attribute, selection: Selection): boolean {
  return serving.dialect === 'strapi' && attribute.relation === 'morphToOne' && selection.fields !== null;
}

function servePopulated(serving: Serving, row: Row, name: string, attribute: Attribute, populated: Populated): unknown {
  let rows = row.related[name]!.filter((other) => !other.type.drafts || other.status === serving.status);
  if (attribute.type === 'dynamiczone' || isPolymorphic(attribute)) {
    const items = serveMixed(serving, rows, attribute, populated);
    return isMany(attribute) ? items : (items[0] ?? null);
  }
  const { filter, sort, count } = populated;
  if (filter) rows = rows.filter((other) => matches(filter, other));
  if (sort.length > 0) rows = sorted(rows, sort);
  if (count) {
    if (filter || !isMany(attribute) || attribute.type !== 'relation') throw new Unspecified('count of this attribute');
    return { count: rows.length };
  }
  const items = rows.map((other) => serve(serving, other, populated));
  if (!isMany(attribute)) return items[0] ?? null;
  return filter && serving.dialect === 'document' && attribute.type === 'relation' ? { data: items } : items;
}

/** Items of a dynamic zone or a polymorphic relation, those of types that may not be read left out. */
function serveMixed(serving: Serving, rows: Row[], attribute: Attribute, populated: Populated): unknown[] {
  const items: unknown[] = [];
  for (const other of rows) {
    if (attribute.type === 'relation' && !mayFind(serving.access, other.type)) continue;
    const selection = populated.on ? populated.on.get(other.type.uid) : itemSelection(serving, other.type, populated);
    if (!selection) continue;
    const tag = attribute.type === 'relation' ? '__type' : '__component';
    items.push({ ...serve(serving, other, selection), [tag]: other.type.uid });
  }
  return items;
}

function itemSelection(serving: Serving, type: Type, populated: Populated): Selection {
  return populated.everything ? { fields: null, populate: readEverything(serving, type) } : populated;
}
