/**
 * Fills the Strapi project in the folder that is named first with the snapshot that is named second: every row with
 * its id, with components, files and relations, in Strapi's tables, and locales and roles. Rows are inserted many at
 * a time, below the services that check what is written and that would take hours. So Strapi holds what it would not
 * write itself:
 *
 * - published rows without a draft (the snapshot writes some drafts, and each row counts as an entry),
 * - `oneToMany` and `oneToOne` relations of several entries to one,
 * - users without passwords.
 *
 * A polymorphic relation leads to one row, as the tables have it: the published one, if there is one.
 * The action `draft` of a role is left out: Strapi shows drafts to everyone.
 */
import { fillLocales, fillRoles } from '../fill/people.ts';
import { type Data, loadStrapi } from '../fill/strapi.ts';
import { RowBuffer } from './buffer.ts';
import { Documents } from './documents.ts';
import { Linker, type PolymorphicReference } from './links.ts';
import { type Entry, fileType, Snapshot, userType } from './snapshot.ts';

/** Strapi has this locale without being told. */
const ownLocale = 'en';
const roleType = 'plugin::users-permissions.role';

const [folder, snapshotFolder] = process.argv.slice(2);
const snapshot = new Snapshot(snapshotFolder);
const strapi = await loadStrapi(folder);
const documents = new Documents(strapi.contentTypes, snapshot.settings.defaultLocale);
const buffer = new RowBuffer(strapi);
const linker = new Linker(strapi, documents, buffer);

await addLocalesAndRoles();
await findDocuments();
await addRows();
await addLinks();
await finishTables();
await strapi.destroy();
process.exit(0);

async function addLocalesAndRoles(): Promise<void> {
  const { settings, roles } = snapshot;
  const others = settings.locales.filter(({ code }) => code !== ownLocale);
  await fillLocales(strapi, others);
  const allowed = roles.map(({ type, permissions }) => [type, permissions.filter((action) => action !== 'draft')]);
  await fillRoles(strapi, Object.fromEntries(allowed));
}

/** A reference may lead to what stands further down. Users name their role by its type. */
async function findDocuments(): Promise<void> {
  for (const { type } of snapshot.roles) {
    const role = await strapi.db.query(roleType).findOne({ where: { type } });
    documents.add(roleType, type, { id: role!.id, published: true, locale: null });
  }
  for (const { uid, values, version } of snapshot.entries(strapi.contentTypes)) {
    documents.add(uid, values.documentId as string, version);
  }
  say('documents found');
}

async function addRows(): Promise<void> {
  for (const entry of snapshot.entries(strapi.contentTypes)) {
    buffer.addRow(entry.uid, rowOf(entry));
    await buffer.flushSome();
  }
  await buffer.flush();
  say('rows added');
}

function rowOf(entry: Entry): Data {
  const { uid, version, values } = entry;
  const publishedAt = version.published ? (values.publishedAt ?? values.createdAt) : null;
  const row: Data = { ...values, locale: version.locale, publishedAt };
  for (const [name, { type, relation }] of Object.entries(strapi.contentTypes[uid].attributes)) {
    const value = values[name];
    if (relation === 'morphToOne' && value) row[name] = linker.polymorphic(entry, value as PolymorphicReference);
    // Strapi would take the digits for a date
    if (type === 'timestamp' && typeof value === 'number') row[name] = new Date(value).toISOString();
  }
  if (uid === fileType) row.folderPath = '/';
  return row;
}

async function addLinks(): Promise<void> {
  for (const entry of snapshot.entries(strapi.contentTypes)) {
    linker.add(entry.uid, entry.version.id, entry.values, entry);
    await buffer.flushSome();
  }
  await buffer.flush();
  say('links added');
}

/**
 * The next ids follow on those that are taken. Rows come to lie in the order of their ids, as if they had been written
 * one by one: where no order is named, PostgreSQL gives them as it finds them.
 */
async function finishTables(): Promise<void> {
  const { connection, metadata } = strapi.db;
  const own = Object.keys(strapi.contentTypes).filter((uid) => uid.startsWith('api::'));
  for (const uid of [...own, fileType, userType, ...Object.keys(strapi.components)]) {
    const { tableName } = metadata.get(uid);
    const sequence = "select setval(pg_get_serial_sequence(?, 'id'), (select max(id) from ??))";
    await connection.raw(sequence, [tableName, tableName]);
    await connection.raw('cluster ?? using ??', [tableName, `${tableName}_pkey`]);
  }
  await connection.raw('vacuum analyze');
  say('tables put in order');
}

function say(what: string): void {
  console.log(`${Math.round(process.uptime())} s: ${what}`);
}
