/**
 * Fills the Strapi project in a folder with content for every type of its model: two locales, drafts published,
 * components, zones, relations and pictures. For repositories whose own export is not to be had.
 *
 *     tsx fill.ts FOLDER
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContentType, type Data, loadStrapi, type Strapi } from '../strapi/fill/strapi.ts';

const locales = ['en', 'fr'];
const documentsOfType = 3;

/** Slugs that the front ends ask for by name, by the type's name. */
const slugs: Record<string, string[]> = { page: ['homepage', 'pricing', 'contact'] };

type Attribute = any;

/** documentIds by uid of what has been created so far. */
const created = new Map<string, string[]>();

const [folder] = process.argv.slice(2);
const strapi = await loadStrapi(folder);
await addLocale(strapi);
const pictures = await upload(strapi, folder);
for (const type of inOrderOfRelations(Object.values(strapi.contentTypes))) await fillType(type);
await openToPublic(strapi);
await strapi.destroy();
// Strapi keeps timers that would keep the process
process.exit(0);

async function addLocale(strapi: Strapi): Promise<void> {
  const service = strapi.plugin('i18n').service('locales');
  if (!(await service.findByCode('fr'))) await service.create({ code: 'fr', name: 'French (fr)' });
}

/** Uploads three pictures and returns their ids. */
async function upload(strapi: Strapi, folder: string): Promise<number[]> {
  const sharp = createRequire(join(folder, 'package.json'))('sharp');
  const scratch = mkdtempSync(join(tmpdir(), 'lectern-pictures-'));
  const ids: number[] = [];
  for (const [n, background] of ['#c0392b', '#2980b9', '#27ae60'].entries()) {
    const name = `picture-${n}.png`;
    const bytes = await sharp({ create: { width: 800, height: 600, channels: 3, background } })
      .png()
      .toBuffer();
    const filepath = join(scratch, name);
    writeFileSync(filepath, bytes);
    const file = { filepath, originalFilename: name, mimetype: 'image/png', size: bytes.length };
    const [stored] = await strapi
      .plugin('upload')
      .service('upload')
      .upload({ data: { fileInfo: { name, alternativeText: name } }, files: file });
    ids.push(stored.id);
  }
  return ids;
}

/** Content types, each after those that its relations and components lead to, as far as that is possible. */
function inOrderOfRelations(types: ContentType[]): ContentType[] {
  const own = types.filter(({ uid }) => uid.startsWith('api::'));
  const sorted: ContentType[] = [];
  const visit = (type: ContentType, path: string[]) => {
    if (sorted.includes(type) || path.includes(type.uid)) return;
    for (const target of targetsOf(type)) {
      const found = own.find(({ uid }) => uid === target);
      if (found) visit(found, [...path, type.uid]);
    }
    sorted.push(type);
  };
  for (const type of own) visit(type, []);
  return sorted;
}

function targetsOf({ attributes }: ContentType): string[] {
  return Object.values(attributes).flatMap((attribute: Attribute) => {
    if (attribute.type === 'relation' && attribute.target && !attribute.mappedBy) return [attribute.target];
    const components = attribute.type === 'component' ? [attribute.component] : (attribute.components ?? []);
    return components.flatMap((uid: string) => targetsOf(strapi.components[uid]));
  });
}

async function fillType(type: ContentType): Promise<void> {
  const { uid } = type;
  const name = uid.slice(uid.lastIndexOf('.') + 1);
  const isLocalized = type.pluginOptions?.i18n?.localized === true;
  const count = type.kind === 'singleType' ? 1 : documentsOfType;
  const documents = strapi.documents(uid);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    let documentId: string | undefined;
    for (const locale of isLocalized ? locales : [undefined]) {
      const data = valuesOf(type.attributes, `${name} ${n + 1} ${locale ?? ''}`.trim(), n, slugs[name]?.[n]);
      if (documentId === undefined) ({ documentId } = await documents.create({ data, locale }));
      else await documents.update({ documentId, locale, data });
      if (type.options?.draftAndPublish) await documents.publish({ documentId, locale: locale as string });
    }
    ids.push(documentId!);
  }
  created.set(uid, ids);
}

function valuesOf(attributes: Record<string, Attribute>, label: string, n: number, slug?: string): Data {
  const values: Data = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    // what Strapi adds by itself has no place in the data
    if (name === 'localizations' || attribute.writable === false || attribute.visible === false) continue;
    const value = contentOf(attribute, name, `${label} ${name}`, n, slug);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function contentOf(attribute: Attribute, name: string, label: string, n: number, slug?: string): unknown {
  switch (attribute.type) {
    case 'uid':
      return slug ?? label.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    case 'string':
    case 'text':
    case 'richtext':
      if (/url$/i.test(name)) return '/pricing';
      return label.padEnd(attribute.minLength ?? 0, ' and more').slice(0, attribute.maxLength ?? 200);
    case 'integer':
      return 10 * (n + 1);
    case 'boolean':
      return n % 2 === 0;
    case 'enumeration':
      return attribute.enum[n % attribute.enum.length];
    case 'blocks':
      return [{ type: 'paragraph', children: [{ type: 'text', text: label, bold: n % 2 === 0 }] }];
    case 'media':
      return attribute.multiple ? pictures : pictures[n % pictures.length];
    case 'component': {
      const { attributes } = strapi.components[attribute.component];
      const one = (index: number) => valuesOf(attributes, `${label} ${index + 1}`, index);
      return attribute.repeatable ? [one(0), one(1)] : one(n);
    }
    case 'dynamiczone':
      return attribute.components.map((uid: string) => ({
        __component: uid,
        ...valuesOf(strapi.components[uid].attributes, `${label} ${uid}`, n),
      }));
    case 'relation': {
      const ids = attribute.mappedBy ? undefined : created.get(attribute.target);
      return ids && (attribute.relation.endsWith('Many') ? ids : ids[n % ids.length]);
    }
    default:
      return undefined;
  }
}

/** Lets everybody read all content. */
async function openToPublic(strapi: Strapi): Promise<void> {
  const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
  const permissions = strapi.db.query('plugin::users-permissions.permission');
  for (const uid of created.keys()) {
    for (const verb of ['find', 'findOne']) {
      await permissions.create({ data: { action: `${uid}.${verb}`, role: role!.id } });
    }
  }
}
