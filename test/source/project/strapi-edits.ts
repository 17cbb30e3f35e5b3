/** Random edits of a Strapi's database: rows, components, links and permissions, as Strapi writes them. */

import type { DatabaseValue } from '../../../src/load/database/database.ts';
import { quote } from '../../../src/load/database/database.ts';
import type { LinkTable, TableMapping, TypeTable } from '../../../src/load/database/table-mapping.ts';
import type { Schema } from '../../../src/model/schema/schema.ts';
import type { Random } from '../../property/random.ts';
import type { Row, StrapiDatabase } from './strapi-database.ts';

export interface EditContext {
  readonly random: Random;
  readonly database: StrapiDatabase;
  readonly mapping: TableMapping;
  readonly schema: Schema;
}

/** Makes an edit. Returns whether there was anything to edit. */
export type Edit = (context: EditContext) => boolean;

const filesTable = 'files_related_mph';

function entryTypes({ mapping, schema }: EditContext): TypeTable[] {
  return [...mapping.types.values()].filter(({ uid }) => uid.startsWith('api::') && schema.types.has(uid));
}

/** A row of any content type of the project, seldom a file or user. */
function randomEntry(context: EditContext, types = entryTypes(context)): { type: TypeTable; row: Row } | null {
  const { random, database, mapping } = context;
  const others = ['plugin::upload.file', 'plugin::users-permissions.user'].flatMap(
    (uid) => mapping.types.get(uid) ?? [],
  );
  for (let attempt = 0; attempt < 5; attempt++) {
    const type = random.chance(90) ? random.pick(types) : random.pick(others);
    const rows = database.select(type.table);
    if (rows.length > 0) return { type, row: random.pick(rows) };
  }
  return null;
}

function randomValue(random: Random, scalar: string): DatabaseValue {
  switch (scalar) {
    case 'boolean':
      return random.integer(0, 1);
    case 'datetime':
    case 'timestamp':
      return 1_600_000_000_000 + random.integer(0, 1_000_000);
    case 'integer':
    case 'biginteger':
      return random.integer(-5, 1000);
    case 'float':
    case 'decimal':
      return random.integer(-500, 500) / 4;
    case 'json':
      return random.pick(['{"a":1}', '[1,2]', 'bare', '7', 'true']);
    case 'blocks':
    case 'array':
      return '[]';
    case 'date':
      return `2026-0${random.integer(1, 9)}-11`;
    case 'time':
      return `0${random.integer(0, 9)}:30:00.000`;
    default:
      return random.pick(['amber', 'Öl', '', null, `text ${random.integer(0, 99)}`]);
  }
}

const keptNames = new Set(['documentId', 'locale', 'publishedAt', 'createdAt', 'updatedAt', 'provider']);

function changeValues({ random, database }: EditContext, { table, columns }: TypeTable, id: DatabaseValue): boolean {
  const editable = columns.filter(({ attribute }) => !keptNames.has(attribute));
  if (editable.length === 0) return false;
  const chosen = random.some(editable, 1, 3);
  database.update(table, id, Object.fromEntries(chosen.map(({ column, type }) => [column, randomValue(random, type)])));
  return true;
}

const editValues: Edit = (context) => {
  const entry = randomEntry(context);
  if (!entry) return false;
  const { database, random } = context;
  if (random.chance(10)) database.update(entry.type.table, entry.row.id, { updated_by_id: null });
  else changeValues(context, entry.type, entry.row.id);
  database.touch(entry.type, entry.row.id);
  return true;
};

/** Copies the components of a row to another one, and the links and media of each. */
function copyComponents(context: EditContext, type: TypeTable, from: DatabaseValue, to: number): void {
  const { database, mapping } = context;
  copyLinks(context, type, from, to);
  if (!type.components) return;
  const { table } = type.components;
  for (const row of database.select(table, '"entity_id" = ?', [from])) {
    const component = mapping.types.get(String(row.component_type));
    const [value] = component ? database.select(component.table, '"id" = ?', [row.cmp_id]) : [];
    if (!component || !value) continue;
    const id = database.insert(component.table, value);
    database.insert(table, { ...row, entity_id: to, cmp_id: id });
    copyComponents(context, component, row.cmp_id, id);
  }
}

function copyLinks({ database, mapping }: EditContext, { uid }: TypeTable, from: DatabaseValue, to: number): void {
  for (const { uid: owner, table, source } of mapping.links) {
    if (owner !== uid || source === 'id' || table === filesTable) continue;
    for (const row of database.select(table, `${quote(source)} = ?`, [from])) {
      database.insert(table, { ...row, [source]: to });
    }
  }
  for (const row of database.select(filesTable, '"related_id" = ? AND "related_type" = ?', [from, uid])) {
    database.insert(filesTable, { ...row, related_id: to });
  }
}

/** Deletes a row with its components and what the database does not delete by itself. */
function deleteRow(context: EditContext, type: TypeTable, id: DatabaseValue): void {
  const { database, mapping } = context;
  if (type.components) {
    for (const row of database.select(type.components.table, '"entity_id" = ?', [id])) {
      const component = mapping.types.get(String(row.component_type));
      if (component) deleteRow(context, component, row.cmp_id);
    }
  }
  for (const row of database.select(filesTable, '"related_id" = ? AND "related_type" = ?', [id, type.uid])) {
    database.delete(filesTable, row.id);
  }
  database.delete(type.table, id);
}

/** Publishes a draft: the published row goes, a copy of the draft comes, and links to the old one lead to the new one. */
const publish: Edit = (context) => {
  const { database, mapping, random, schema } = context;
  const types = entryTypes(context).filter(({ uid }) => schema.type(uid).draftAndPublish);
  const type = random.pick(types);
  const drafts = database.select(type.table, '"published_at" IS NULL');
  if (drafts.length === 0) return false;
  const draft = random.pick(drafts);
  const same = '"document_id" = ? AND "locale" IS ? AND "published_at" IS NOT NULL';
  const old = database.select(type.table, same, [draft.document_id, draft.locale]);
  const incoming = mapping.links
    .filter(({ targetId, table, ...link }) => link.kind === 'relation' && link.target === type.uid && targetId !== 'id')
    .flatMap((link) =>
      old.flatMap(({ id }) =>
        database.select(link.table, `${quote(link.targetId)} = ?`, [id]).map((row) => ({ link, row })),
      ),
    );
  for (const { id } of old) deleteRow(context, type, id);
  const id = database.insert(type.table, { ...draft, published_at: database.now, updated_at: database.now });
  copyComponents(context, type, draft.id, id);
  for (const { link, row } of incoming) {
    const isGone = database.select(link.table, '"id" = ?', [row.id]).length === 0;
    const [source] = database.select(mapping.types.get(link.uid)!.table, '"id" = ?', [row[link.source]]);
    if (isGone && source) database.insert(link.table, { ...row, [link.targetId]: id });
  }
  return true;
};

const remove: Edit = (context) => {
  const entry = randomEntry(context);
  if (!entry) return false;
  const { database, random } = context;
  const isWhole = random.chance(50);
  const versions = isWhole
    ? database.select(entry.type.table, '"document_id" = ?', [entry.row.document_id])
    : [entry.row];
  for (const { id } of versions) deleteRow(context, entry.type, id);
  return true;
};

/** A new document, with the values, components and links of another. Single types have only one. */
const create: Edit = (context) => {
  const { database, random, schema } = context;
  const entry = randomEntry(context);
  if (!entry || schema.type(entry.type.uid).kind === 'singleType') return false;
  const { type, row } = entry;
  const documentId = `document-${database.now}-${random.integer(0, 1e6)}`;
  const times = { created_at: database.now, updated_at: database.now };
  const id = database.insert(type.table, { ...row, ...times, document_id: documentId });
  if (random.chance(70)) copyComponents(context, type, row.id, id);
  changeValues(context, type, id);
  return true;
};

/** Adds, removes, replaces or moves a component, or changes one in place. */
const changeComponents: Edit = (context) => {
  const { database, mapping, random } = context;
  const entry = randomEntry(
    context,
    entryTypes(context).filter(({ components }) => components),
  );
  if (!entry?.type.components) return false;
  const { table, fields } = entry.type.components;
  const placed = database.select(table, '"entity_id" = ?', [entry.row.id]);
  database.touch(entry.type, entry.row.id);
  const kind = random.integer(0, 3);
  if (kind === 0 || placed.length === 0) {
    const [field, { accepts, many }] = random.pick([...fields]);
    const component = mapping.types.get(random.pick([...accepts]))!;
    const examples = database.select(component.table);
    if (examples.length === 0 || (!many && placed.some((row) => row.field === field))) return false;
    const example = random.pick(examples);
    const id = database.insert(component.table, example);
    copyComponents(context, component, example.id, id);
    const order = many ? placed.length + 1 : null;
    const link = { entity_id: entry.row.id, cmp_id: id, component_type: component.uid, field, order };
    database.insert(table, link);
    return true;
  }
  const row = random.pick(placed);
  const component = mapping.types.get(String(row.component_type))!;
  if (kind === 1) {
    deleteRow(context, component, row.cmp_id);
    database.delete(table, row.id);
  } else if (kind === 2) changeValues(context, component, row.cmp_id);
  else database.update(table, row.id, { order: random.integer(-5, 50) / 2 });
  return true;
};

/** Adds a link, removes one, or moves one. Only the table of the links changes. */
const changeLinks: Edit = (context) => {
  const { database, mapping, random } = context;
  const link = random.pick(mapping.links.filter(({ uid }) => !uid.includes('permission')));
  const rows = database.select(link.table, `${quote(link.source)} IS NOT NULL`);
  if (link.source === 'id') return changeInlineLink(context, link, rows);
  const kind = random.integer(0, 2);
  if (kind === 0 || rows.length === 0) return addLink(context, link, rows);
  const row = random.pick(rows);
  if (kind === 1) database.delete(link.table, row.id);
  else {
    const positions = link.kind === 'relation' ? [link.order, link.inverseOrder] : ['order'];
    const present = positions.flatMap((name) => name ?? []);
    if (present.length === 0) return false;
    database.update(link.table, row.id, { [random.pick(present)]: random.integer(-4, 40) / 2 });
  }
  return true;
};

/** A relation to one row of any type, which its own row holds. */
function changeInlineLink({ database, mapping, random }: EditContext, link: LinkTable, rows: readonly Row[]): boolean {
  if (rows.length === 0 || link.kind !== 'polymorphic') return false;
  const uids = [...mapping.types.keys()].filter((uid) => uid.startsWith('api::'));
  const target = mapping.types.get(random.pick(uids))!;
  const targets = database.select(target.table);
  const row = random.pick(rows);
  const isNone = targets.length === 0 || random.chance(20);
  database.update(link.table, row.id, {
    [link.targetId]: isNone ? null : random.pick(targets).id,
    [link.targetType]: isNone ? null : target.uid,
  });
  return true;
}

function addLink({ database, mapping, random }: EditContext, link: LinkTable, rows: readonly Row[]): boolean {
  const sources = database.select(mapping.types.get(link.uid)!.table);
  if (sources.length === 0) return false;
  const source = random.pick(sources).id;
  if (link.kind === 'polymorphic') {
    // another row of the table says what may be linked
    if (rows.length === 0) return false;
    const example = random.pick(rows);
    database.insert(link.table, { ...example, [link.source]: source, order: random.integer(1, 9) });
    return true;
  }
  const targets = database.select(mapping.types.get(link.target)!.table);
  if (targets.length === 0) return false;
  const target = random.pick(targets).id;
  // tables of links hold each pair once
  const isKnown = rows.some((row) => row[link.source] === source && row[link.targetId] === target);
  if (isKnown) return false;
  const positions = [link.order, link.inverseOrder].flatMap((name) => (name ? [[name, random.integer(1, 9)]] : []));
  database.insert(link.table, { [link.source]: source, [link.targetId]: target, ...Object.fromEntries(positions) });
  return true;
}

/** Gives a permission to a role, or takes one. */
const changePermissions: Edit = ({ database, random }) => {
  const permissions = database.select('up_permissions');
  if (permissions.length > 0 && random.chance(50)) {
    database.delete('up_permissions', random.pick(permissions).id);
    return true;
  }
  const roles = database.select('up_roles');
  const times = { created_at: database.now, updated_at: database.now, published_at: database.now };
  const action = `api::tag.tag.${random.pick(['find', 'findOne', 'create'])}`;
  const id = database.insert('up_permissions', { document_id: `permission-${database.now}`, action, ...times });
  database.insert('up_permissions_role_lnk', { permission_id: id, role_id: random.pick(roles).id, permission_ord: 1 });
  return true;
};

const blockUser: Edit = ({ database, random }) => {
  const users = database.select('up_users');
  if (users.length === 0) return false;
  database.update('up_users', random.pick(users).id, { blocked: random.integer(0, 1), updated_at: database.now });
  return true;
};

export const edits: Readonly<Record<string, Edit>> = {
  editValues,
  publish,
  remove,
  create,
  changeComponents,
  changeLinks,
  changeLinksAgain: changeLinks,
  changePermissions,
  blockUser,
};

/** Changes a component, and says so nowhere. */
export const changeSilently: Edit = (context) => {
  const { database, mapping, random } = context;
  const [type] = random.shuffled([...mapping.types.values()].filter(({ uid }) => !uid.includes('::')));
  const rows = type ? database.select(type.table) : [];
  return type !== undefined && rows.length > 0 && changeValues(context, type, random.pick(rows).id);
};
