import type { Attribute, Component, ContentType, Snapshot } from '../naive/snapshot.ts';
import { USER } from '../naive/types.ts';
import { enumValues } from './pools.ts';
import type { Random } from './random.ts';

const typeNames = [
  ['article', 'articles'],
  ['author', 'authors'],
  ['category', 'categories'],
  ['dish', 'dishes'],
  ['event', 'events'],
];
const componentNames = ['shared.seo', 'shared.link', 'block.hero'];

const scalars: Record<string, Attribute> = {
  title: { type: 'string' },
  lead: { type: 'text' },
  story: { type: 'richtext' },
  body: { type: 'blocks' },
  mood: { type: 'enumeration', enum: enumValues },
  mail: { type: 'email' },
  slug: { type: 'uid' },
  born: { type: 'date' },
  opens: { type: 'time' },
  seen: { type: 'datetime' },
  stamp: { type: 'timestamp' },
  rank: { type: 'integer' },
  visits: { type: 'biginteger' },
  score: { type: 'float' },
  price: { type: 'decimal' },
  open: { type: 'boolean' },
  extra: { type: 'json' },
  labels: { type: 'array' },
  secret: { type: 'string', private: true },
  code: { type: 'integer', private: true },
  pin: { type: 'password' },
};

const uidOf = (type: ContentType) => `api::${type.info.singularName}.${type.info.singularName}`;

/** Content types, components and locales; no entries and no roles yet. */
export function randomSchema(random: Random): Snapshot {
  const locales = ['en', 'fr', 'de'].slice(0, random.integer(1, 3));
  const contentTypes = random.some(typeNames, 2, 5).map(([singularName, pluralName]): ContentType => {
    const type: ContentType = {
      info: { singularName: singularName!, pluralName: pluralName!, displayName: singularName! },
      attributes: { title: { type: 'string' }, ...randomScalars(random, 1, 7) },
    };
    if (random.chance(12)) type.kind = 'singleType';
    if (random.chance(45)) type.options = { draftAndPublish: true };
    if (random.chance(45)) type.pluginOptions = { i18n: { localized: true } };
    return type;
  });
  const components = randomComponents(random, contentTypes);
  const names = Object.keys(components);
  for (const type of contentTypes) {
    if (random.chance(40)) type.attributes.cover = { type: 'media', multiple: false };
    if (random.chance(25)) type.attributes.gallery = { type: 'media', multiple: true };
    if (names.length === 0) continue;
    if (random.chance(60)) type.attributes.part = component(random.pick(names), false);
    if (random.chance(40)) type.attributes.parts = component(random.pick(names), true);
    if (random.chance(40)) type.attributes.zone = { type: 'dynamiczone', components: random.some(names, 1, 3) };
  }
  const relations = random.integer(1, 2 * contentTypes.length);
  for (let i = 1; i <= relations; i++) addRelation(random, contentTypes, `link${i}`);
  if (random.chance(55)) addPolymorphic(random, contentTypes);
  return {
    settings: { defaultLocale: random.pick(locales), locales: locales.map((code) => ({ code, name: code })) },
    contentTypes,
    components,
    entries: {},
  };
}

function randomScalars(random: Random, low: number, high: number): Record<string, Attribute> {
  const names = random.some(Object.keys(scalars), low, high);
  return Object.fromEntries(names.map((name) => [name, { ...scalars[name]! }]));
}

function component(uid: string, repeatable: boolean): Attribute {
  return { type: 'component', component: uid, repeatable };
}

/** A component contains only later components, so that none contains itself. */
function randomComponents(random: Random, contentTypes: ContentType[]): Record<string, Component> {
  const names = componentNames.slice(0, random.integer(0, 3));
  const components: Record<string, Component> = {};
  names.forEach((uid, position) => {
    const attributes = randomScalars(random, 1, 4);
    const later = names.slice(position + 1);
    if (later.length > 0 && random.chance(50)) attributes.inner = component(random.pick(later), random.chance(40));
    if (random.chance(35)) attributes.image = { type: 'media', multiple: random.chance(30) };
    if (random.chance(70)) {
      const relation = random.pick(['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany']);
      attributes.about = { type: 'relation', relation, target: uidOf(random.pick(contentTypes)) };
    }
    components[uid] = { attributes };
  });
  return components;
}

/** One relation, of one or two sides, often of a type with itself. */
function addRelation(random: Random, contentTypes: ContentType[], name: string): void {
  const owner = random.pick(contentTypes);
  const target = random.chance(25) ? owner : random.pick(contentTypes);
  const relation = random.pick(['oneToOne', 'manyToOne', 'manyToOne', 'manyToMany', 'manyToMany', 'oneToMany']);
  const attribute: Attribute = { type: 'relation', relation, target: uidOf(target) };
  owner.attributes[name] = attribute;
  if (relation === 'oneToMany' || random.chance(35)) {
    if (random.chance(10)) attribute.target = USER;
    if (random.chance(12)) attribute.private = true;
    return;
  }
  const inverse = relation === 'manyToOne' ? 'oneToMany' : relation;
  attribute.inversedBy = `${name}Of`;
  const other: Attribute = { type: 'relation', relation: inverse, target: uidOf(owner), mappedBy: name };
  target.attributes[`${name}Of`] = other;
  // either side may be private without the other
  if (random.chance(20)) random.pick([attribute, other]).private = true;
}

function addPolymorphic(random: Random, contentTypes: ContentType[]): void {
  const owner = random.pick(contentTypes);
  if (random.chance(70)) owner.attributes.target = { type: 'relation', relation: 'morphToOne' };
  if (random.chance(70)) owner.attributes.targets = { type: 'relation', relation: 'morphToMany' };
  for (const target of random.some(contentTypes, 0, 2)) {
    const morphBy = random.pick(['target', 'targets']);
    if (!owner.attributes[morphBy]) continue;
    const relation = random.chance(20) ? 'morphOne' : 'morphMany';
    target.attributes.marks = { type: 'relation', relation, target: uidOf(owner), morphBy };
  }
}
