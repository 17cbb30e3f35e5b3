import { mayFind } from './access.ts';
import type { Scope } from './filter.ts';
import type { Links } from './links.ts';
import { matches } from './matches.ts';
import { type Populated, readEverything, type Selection } from './selection.ts';
import { type Attribute, Unspecified } from './snapshot.ts';
import { sorted } from './sort.ts';
import { attributeOf, isMany, isPolymorphic, servedNames, type Type } from './types.ts';
import type { Row } from './world.ts';

export interface Serving extends Scope {
  links: Links;
}

type Served = Record<string, unknown>;

/** Rows of one type as the reply shows them, all of one place in the reply together. */
export function serve(serving: Serving, rows: Row[], selection: Selection): Served[] {
  const served = rows.map((row) => serveScalars(row, selection));
  for (const [name, populated] of selection.populate) {
    servePopulated(serving, rows, name, selection, populated).forEach((value, i) => {
      served[i]![name] = value;
    });
  }
  return served;
}

function serveScalars(row: Row, { fields }: Selection): Served {
  const served: Served = { id: row.id };
  if (row.documentId !== null) served.documentId = row.documentId;
  for (const name of servedNames(row.type)) {
    if (fields === null || fields.includes(name)) served[name] = row.scalars[name] ?? null;
  }
  return served;
}

/** The value of one populated attribute for each of the rows. */
function servePopulated(
  serving: Serving,
  rows: Row[],
  name: string,
  parent: Selection,
  populated: Populated,
): unknown[] {
  if (rows.length === 0) return [];
  const attribute = attributeOf(rows[0]!.type, name)!;
  if (isLost(serving, attribute, parent)) return rows.map(() => null);
  refuseUnsettled(serving, rows, name, attribute);
  const chosen = rows.map((row) => chosenRows(serving, rows, row, name, populated));
  if (populated.count) {
    if (populated.filter || !isMany(attribute) || attribute.type !== 'relation') throw new Unspecified('count');
    return chosen.map((list) => ({ count: list.length }));
  }
  const served = serveTogether(serving, [...new Set(chosen.flat())], attribute, populated);
  const wrapped = populated.filter !== null && serving.dialect === 'document' && attribute.type === 'relation';
  return chosen.map((list) => {
    const all = list.filter((row) => served.has(row)).map((row) => served.get(row));
    const { window } = populated;
    const items = window === null || !isMany(attribute) ? all : all.slice(window.start, window.start + window.limit);
    if (serving.dialect === 'strapi' && isPolymorphic(attribute) && items.length === 0) {
      throw new Unspecified('a polymorphic relation of nothing');
    }
    if (!isMany(attribute)) return items[0] ?? null;
    return wrapped ? { data: items } : items;
  });
}

/** What a Strapi serves of these is neither written down nor recorded. */
function refuseUnsettled({ dialect }: Serving, rows: Row[], name: string, attribute: Attribute): void {
  if (dialect !== 'strapi') return;
  if (attribute.morphBy) throw new Unspecified('the other side of a polymorphic relation');
  if (isPolymorphic(attribute) && rows.some((row) => row.related[name]!.some((other) => other.type.drafts))) {
    throw new Unspecified('a polymorphic relation to a type with drafts');
  }
}

function chosenRows(serving: Serving, rows: Row[], row: Row, name: string, { filter, sort }: Populated): Row[] {
  let chosen = serving.links.populated(row, name);
  // the recorded server leaves out the localizations that stand in the same place of the reply themselves
  if (name === 'localizations' && serving.dialect === 'strapi')
    chosen = chosen.filter((other) => !rows.includes(other));
  if (filter) chosen = chosen.filter((other) => matches(filter, other, serving.links));
  return sort.length > 0 ? sorted(chosen, sort, serving.links) : chosen;
}

/** What each of the rows is served as; rows that `on` or the permissions leave out are missing. */
function serveTogether(serving: Serving, rows: Row[], attribute: Attribute, populated: Populated): Map<Row, Served> {
  const served = new Map<Row, Served>();
  const mixed = attribute.type === 'dynamiczone' || isPolymorphic(attribute);
  for (const type of new Set(rows.map((row) => row.type))) {
    if (mixed && attribute.type === 'relation' && !mayFind(serving.access, type)) continue;
    const selection = populated.on ? populated.on.get(type.uid) : itemSelection(serving, type, populated);
    if (!selection) continue;
    const items = rows.filter((row) => row.type === type);
    const tag = attribute.type === 'relation' ? { __type: type.uid } : { __component: type.uid };
    serve(serving, items, selection).forEach((item, i) => {
      served.set(items[i]!, mixed ? { ...item, ...tag } : item);
    });
  }
  return served;
}

function itemSelection(serving: Serving, type: Type, populated: Populated): Selection {
  return populated.everything ? { fields: null, populate: readEverything(serving, type) } : populated;
}

/** The recorded server serves null for a morphToOne relation of an entry whose `fields` are named. */
function isLost(serving: Serving, attribute: Attribute, parent: Selection): boolean {
  return serving.dialect === 'strapi' && attribute.relation === 'morphToOne' && parent.fields !== null;
}
