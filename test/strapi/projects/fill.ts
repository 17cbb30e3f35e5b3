/**
 * Fills the Strapi project in the folder that is its first argument with random documents of its content model, then
 * writes what only a database knows: other orders, values of other forms, and rows that are gone without their document.
 */

import { rolePermissions } from '../access.ts';
import { DocumentFiller } from '../fill/documents.ts';
import { fillFiles, fillLocales, fillRoles, fillTokens, fillUsers } from '../fill/people.ts';
import { type ContentType, loadStrapi, type Strapi } from '../fill/strapi.ts';
import { Random } from '../random.ts';

const [folder, seed] = process.argv.slice(2);
const random = new Random(Number(seed));
const strapi = await loadStrapi(folder);
const own = Object.values(strapi.contentTypes).filter(({ uid }) => uid.startsWith('api::'));
await fillLocales(strapi, [
  { code: 'fr', name: 'French (fr)' },
  { code: 'de', name: 'German (de)' },
]);
await fillRoles(strapi, permissionsFor(own));
if (strapi.contentTypes['api::exhibit.exhibit']) await fillTokens(strapi);
const users = await fillUsers(strapi, random);
const files = await fillFiles(strapi, random);
const targets = own.filter(({ kind }) => kind === 'collectionType').map(({ uid }) => uid);
await new DocumentFiller(strapi, random, files, users, targets).fill();
for (const type of own) {
  await reorder(strapi, type);
  await writeUnusualValues(strapi, type);
}
await deleteRows(strapi, own);
await strapi.destroy();
process.exit(0);

/** The roles of the museum, each with the permission to read all types of this project. */
function permissionsFor(types: readonly ContentType[]): Record<string, string[]> {
  const reads = types.flatMap(({ uid }) => [`${uid}.find`, `${uid}.findOne`]);
  const others = ([role, actions]: [string, string[]]) => [
    role,
    actions.filter((action) => !action.startsWith('api::')),
  ];
  const known = Object.fromEntries(Object.entries(rolePermissions).map(([role, actions]) => others([role, actions])));
  return Object.fromEntries(
    Object.entries(known).map(([role, actions]) => [role, [...reads, ...(actions as string[])]]),
  );
}

/** Moves the last target of a list to its start, as the editor's drag and drop does. */
async function reorder({ db }: Strapi, { uid, attributes }: ContentType): Promise<void> {
  for (const name of Object.keys(attributes)) {
    const { joinTable } = db.metadata.get(uid).attributes[name];
    if (!joinTable?.orderColumnName || !joinTable.inverseJoinColumn) continue;
    const { name: table, joinColumn, orderColumnName } = joinTable;
    if (attributes[name].type !== 'relation') continue;
    // MySQL takes the updated table in a nested query only below another one
    const ends = 'select max(id) as id from ?? group by ?? having count(*) > 2';
    await db.connection.raw(`update ?? set ?? = 0.5 where id in (select id from (${ends}) as ends)`, [
      table,
      orderColumnName,
      table,
      joinColumn.name,
    ]);
  }
}

/** Texts that JSON columns of SQLite may hold, and numbers that PostgreSQL would round. */
async function writeUnusualValues({ db }: Strapi, { uid, attributes }: ContentType): Promise<void> {
  const { tableName } = db.metadata.get(uid);
  // the first and the last are no JSON, which only SQLite takes
  const jsonTexts = ['bare text', '12', 'true', '"quoted"', '"\\"twice\\""', '1e3', ''];
  const { DATABASE_CLIENT: client = 'sqlite' } = process.env;
  for (const [name, { type }] of Object.entries(attributes)) {
    const column = db.metadata.get(uid).attributes[name].columnName;
    const write = (value: unknown, rest: number) =>
      db.connection.raw(`update ?? set ?? = ? where id % 11 = ${rest}`, [tableName, column, value]);
    if (type === 'json') {
      const texts = client === 'sqlite' ? jsonTexts : jsonTexts.slice(1, -1);
      for (const [rest, value] of texts.entries()) await write(value, rest);
    }
    if (type === 'decimal') await write(2.675, 3);
    if (type === 'time') await write('07:08:09.120', 4);
    if (client !== 'sqlite' && type === 'biginteger') await write('9007199254740993', 5);
    if (client !== 'sqlite' && type === 'datetime') await write('2024-02-29 12:34:56.789123', 6);
  }
}

/** Deletes a row of each type in the database alone: what leads to it is left as the database leaves it. */
async function deleteRows({ db }: Strapi, types: readonly ContentType[]): Promise<void> {
  for (const { uid, kind } of types) {
    if (kind === 'singleType') continue;
    const rows = await db.query(uid).findMany({ orderBy: { id: 'asc' } });
    const { tableName } = db.metadata.get(uid);
    if (rows.length > 4) await db.connection.raw('delete from ?? where id = ?', [tableName, random.pick(rows).id]);
  }
}
