import type { Attribute, Entry, Snapshot } from '../naive/snapshot.ts';
import { isPolymorphic, type Type } from '../naive/types.ts';
import { buildWorld, type Row } from '../naive/world.ts';
import { type Batch, LOCALES, Model, ownsLinks, PERMISSIONS, ROLES, USERS, type Values } from './model.ts';

/** Published entries need a date, because that is what makes them published in an export. */
const publishedAt = '2026-01-02T03:04:05.006Z';

/**
 * Writes into a snapshot what its reader would add: ids and dates of publication, and a role for each user. Sorts the
 * entries by id. The snapshot then has the same content as its model.
 */
export function completeSnapshot(snapshot: Snapshot): void {
  const drafts = new Set(
    snapshot.contentTypes
      .filter(({ options }) => options?.draftAndPublish)
      .map(({ info: { singularName } }) => singularName),
  );
  for (const [name, entries] of Object.entries(snapshot.entries)) {
    let last = Math.max(0, ...entries.map(({ id }) => (id as number | undefined) ?? 0));
    for (const entry of entries) {
      entry.id ??= ++last;
      if (drafts.has(name) && entry.status !== 'draft') entry.publishedAt ??= entry.createdAt ?? publishedAt;
    }
    // the order of the list is that of localizations; exports are in the order of ids
    entries.sort((a, b) => (a.id as number) - (b.id as number));
  }
  for (const [position, user] of (snapshot.entries.user ?? []).entries()) {
    user.role ??= snapshot.roles?.[position % snapshot.roles.length]?.type ?? null;
  }
}

/**
 * Removes the inverse sides of polymorphic relations: exports have one position for both sides of a link, and snapshots
 * one for each.
 */
export function omitPolymorphicInverses({ contentTypes }: Snapshot): void {
  for (const { attributes } of contentTypes) {
    for (const [name, { morphBy }] of Object.entries(attributes)) if (morphBy) delete attributes[name];
  }
}

/** The content of a completed snapshot. */
export function modelOf(snapshot: Snapshot): Model {
  const model = new Model(snapshot);
  const batch: Batch = { entities: [], links: [] };
  const { roles = [] } = snapshot;
  for (const row of Object.values(buildWorld(snapshot).rows).flat()) {
    const input = snapshot.entries[row.type.singularName]!.find(({ id }) => id === row.id)!;
    batch.entities.push({ type: row.type.uid, id: row.id, data: dataOf(row, input) });
    addLinks(row, batch);
    const role = roles.findIndex(({ type }) => type === input.role) + 1;
    if (row.type.uid === USERS && role > 0) addRole(batch, USERS, row.id, role);
  }
  let permissions = 0;
  for (const [position, { type, name, permissions: actions }] of roles.entries()) {
    const data = { documentId: type, type, name: name ?? type };
    batch.entities.push({ type: ROLES, id: position + 1, data });
    for (const action of actions) {
      const id = ++permissions;
      batch.entities.push({ type: PERMISSIONS, id, data: { documentId: `permission-${id}`, action } });
      addRole(batch, PERMISSIONS, id, position + 1);
    }
  }
  for (const [position, { code, name }] of (snapshot.settings?.locales ?? []).entries()) {
    batch.entities.push({ type: LOCALES, id: position + 1, data: { documentId: code, code, name } });
  }
  model.apply(batch);
  return model;
}

function addRole({ links }: Batch, type: string, id: number, role: number): void {
  links.push({ type, id, attribute: 'role', targets: [{ type: ROLES, id: role, position: 0, inversePosition: 0 }] });
}

/** An entry or a component without its relations. */
function dataOf(row: Row, input: Entry): Values {
  const { status: _, id, ...values } = input;
  const data: Values = row.type.kind === 'component' ? { ...values, id } : { ...values };
  for (const [name, attribute] of Object.entries(row.type.attributes)) {
    if (ownsLinks(attribute)) delete data[name];
    if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') continue;
    const items = row.related[name]!.map((item, position) => dataOf(item, [input[name]].flat()[position] as Entry));
    if (input[name] !== undefined) data[name] = Array.isArray(input[name]) ? items : (items[0] ?? null);
  }
  if (row.type.uid === USERS) delete data.role;
  if (row.type.kind === 'component') return data;
  const published = row.status === 'published' ? (input.publishedAt ?? input.createdAt ?? null) : null;
  return { ...data, publishedAt: published, locale: row.locale };
}

/** Adds the links of a row and of its components. */
function addLinks(row: Row, batch: Batch): void {
  for (const [name, attribute] of Object.entries(row.type.attributes)) {
    if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      for (const item of row.related[name]!) addLinks(item, batch);
    }
    if (!ownsLinks(attribute) || row.related[name]!.length === 0) continue;
    const targets = row.related[name]!.map(({ type, id }, position) => ({
      type: type.uid,
      id,
      position,
      inversePosition: isPolymorphic(attribute) ? position : 0,
      ...inverseOf(type, row.type.uid, name, attribute),
    }));
    batch.links.push({ type: row.type.uid, id: row.id, attribute: name, targets });
  }
}

/** In a polymorphic list, the attribute of the target that shows the link, or an empty text if there is none. */
export function inverseOf(
  { attributes }: Pick<Type, 'attributes'>,
  owner: string,
  name: string,
  { relation }: Attribute,
): { inverse?: string } {
  if (relation !== 'morphToMany') return {};
  const inverse = Object.keys(attributes).find((other) => {
    return attributes[other]!.morphBy === name && attributes[other]!.target === owner;
  });
  return { inverse: inverse ?? '' };
}
