/** Fills the Strapi project in the first argument with the museum, and with more entries up to the number that follows. */
import { rolePermissions } from '../access.ts';
import { DocumentFiller } from '../fill/documents.ts';
import { fillFiles, fillLocales, fillRoles, fillTokens, fillUsers } from '../fill/people.ts';
import { type Data, loadStrapi, type Strapi } from '../fill/strapi.ts';
import { isScalar, randomValue } from '../fill/values.ts';
import { Random } from '../random.ts';

/** The share of each type in the entries that are added, in percent. */
const shares: Readonly<Record<string, number>> = { exhibit: 40, artist: 30, tag: 15, lender: 15 };
/** Rows of one statement. */
const chunk = 50;

const [folder, count] = process.argv.slice(2);
const random = new Random(1);
const strapi = await loadStrapi(folder);
await fillLocales(strapi, [
  { code: 'fr', name: 'French (fr)' },
  { code: 'de', name: 'German (de)' },
]);
await fillRoles(strapi, rolePermissions);
await fillTokens(strapi);
const users = await fillUsers(strapi, random);
const files = await fillFiles(strapi, random);
await new DocumentFiller(strapi, random, files, users).fill();
for (const [name, share] of Object.entries(shares)) {
  await addDocuments(strapi, `api::${name}.${name}`, Math.ceil((Number(count) * share) / 100));
}
await linkExhibits(strapi);
await strapi.destroy();
process.exit(0);

/** Adds documents of a type, as drafts and published ones, in two locales if it has any: `rows` in all. */
async function addDocuments({ contentTypes, db }: Strapi, uid: string, rows: number): Promise<void> {
  const { attributes, options, pluginOptions } = contentTypes[uid];
  const dates = options?.draftAndPublish ? [null, '2026-11-01T10:00:00.000Z'] : ['2026-11-01T10:00:00.000Z'];
  const locales = pluginOptions?.i18n?.localized ? ['en', 'fr'] : [null];
  const added: Data[] = [];
  for (let document = 0; added.length < rows; document++) {
    const documentId = addedId(uid, document);
    const values = Object.entries(attributes)
      .filter(([name, attribute]) => isScalar(attribute) && !(name in { createdAt: 0, updatedAt: 0, publishedAt: 0 }))
      .map(([name, attribute]) => [name, randomValue(random, attribute, documentId)]);
    for (const locale of locales) {
      for (const publishedAt of dates) added.push({ ...Object.fromEntries(values), documentId, locale, publishedAt });
    }
  }
  for (let i = 0; i < added.length; i += chunk) {
    await db.query(uid).createMany({ data: added.slice(i, i + chunk) });
  }
}

/** Differs from the ids that Strapi makes. */
function addedId(uid: string, document: number): string {
  return `${uid.split('.').at(-1)}_${String(document).padStart(6, '0')}`.padEnd(24, 'x');
}

/** Links each added exhibit to some artists and tags. */
async function linkExhibits({ db }: Strapi): Promise<void> {
  const uid = 'api::exhibit.exhibit';
  const exhibits = (await db.query(uid).findMany({ orderBy: { id: 'asc' } })) as Version[];
  for (const [name, target] of Object.entries({ makers: 'api::artist.artist', tags: 'api::tag.tag' })) {
    const rows = (await db.query(target).findMany({ orderBy: { id: 'asc' } })) as Version[];
    const { joinTable } = db.metadata.get(uid).attributes[name];
    const { name: table, joinColumn, inverseJoinColumn, orderColumnName, inverseOrderColumnName } = joinTable!;
    const links = exhibits
      .filter(({ documentId }) => documentId.includes('_'))
      .flatMap(({ id, publishedAt }) => {
        const ofStatus = rows.filter((row) => target !== 'api::artist.artist' || !row.publishedAt === !publishedAt);
        return random.some(ofStatus, 2, 2).map((row, position) => ({
          [joinColumn.name]: id,
          [inverseJoinColumn.name]: row.id,
          ...(orderColumnName && { [orderColumnName]: position + 1 }),
          ...(inverseOrderColumnName && { [inverseOrderColumnName]: id }),
        }));
      });
    for (let i = 0; i < links.length; i += chunk) await db.getConnection(table).insert(links.slice(i, i + chunk));
  }
}

interface Version {
  readonly id: number;
  readonly documentId: string;
  readonly publishedAt: unknown;
}
