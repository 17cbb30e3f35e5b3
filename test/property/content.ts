import type { Attribute, Entry, Role, Snapshot } from '../naive/snapshot.ts';
import { contentTypes, FILE, isMany, isPolymorphic, isScalar, type Type, USER } from '../naive/types.ts';
import { accentedWords, randomWords, storedValue } from './pools.ts';
import type { Random } from './random.ts';

interface Filling {
  random: Random;
  snapshot: Snapshot;
  types: Record<string, Type>;
  /** Documents of each content type, by uid. */
  documents: Record<string, string[]>;
  /** Last id given in each component type. */
  componentIds: Record<string, number>;
  /** Documents that a two-way oneToOne relation holds already, by attribute, status and locale of the owner. */
  taken: Set<string>;
  words: string[];
}

/**
 * Fills the schema with up to 25 entries a type, and roles. Now and then one type has up to 150, so that pages and row
 * sets are longer than their usual block. `isAccented` adds words that languages sort in different ways.
 */
export function fillContent(random: Random, snapshot: Snapshot, isAccented = false): void {
  const types = contentTypes(snapshot);
  const documents: Record<string, string[]> = {};
  const crowded = random.chance(8) ? random.pick(snapshot.contentTypes).info.singularName : null;
  for (const type of Object.values(types)) {
    const count = type.singularName === crowded && type.kind !== 'singleType' ? 150 : documentCount(random, type);
    documents[type.uid] = Array.from({ length: count }, (_, i) => `${type.singularName}-${i + 1}`);
  }
  const filling: Filling = {
    random,
    snapshot,
    types,
    documents,
    componentIds: {},
    taken: new Set(),
    words: isAccented ? [...randomWords(random), ...accentedWords] : randomWords(random),
  };
  for (const type of Object.values(types)) {
    const entries = documents[type.uid]!.flatMap((documentId) => documentEntries(filling, type, documentId));
    snapshot.entries[type.singularName] = withIds(random, entries.slice(0, type.singularName === crowded ? 150 : 25));
    const kept = new Set(snapshot.entries[type.singularName]!.map((entry) => entry.documentId as string));
    documents[type.uid] = documents[type.uid]!.filter((documentId) => kept.has(documentId));
  }
  for (const type of Object.values(types)) {
    for (const entry of snapshot.entries[type.singularName]!) {
      fillAttributes(filling, type.attributes, entry, `${type.uid} ${entry.status ?? 'published'} ${entry.locale}`);
      if (type.uid === FILE || type.uid === USER) fillBuiltIn(random, type, entry);
    }
  }
  snapshot.roles = randomRoles(random, Object.values(types));
}

function documentCount(random: Random, type: Type): number {
  if (type.kind === 'singleType') return random.chance(90) ? 1 : 0;
  const most = type.uid === USER ? 3 : type.uid === FILE ? 4 : random.pick([3, 6, 10]);
  return random.integer(random.chance(90) ? 1 : 0, most);
}

/** The rows of one document: some of its locales, and of each its published row, its draft, or both. */
function documentEntries({ random, snapshot }: Filling, type: Type, documentId: string): Entry[] {
  const codes = snapshot.settings!.locales!.map((locale) => locale.code);
  const locales = type.localized ? random.some(codes, random.pick([1, 2]), codes.length) : [undefined];
  return locales.flatMap((locale) => {
    const statuses = type.drafts
      ? random.pick([['published'], ['published', 'draft'], ['published', 'draft'], ['draft']])
      : [undefined];
    return statuses.map((status): Entry => {
      const entry: Entry = { documentId };
      if (status === 'draft' || (status && random.chance(50))) entry.status = status;
      if (locale !== undefined) entry.locale = locale;
      for (const name of ['createdAt', 'updatedAt']) {
        if (random.chance(70)) entry[name] = storedValue(random, { type: 'datetime' });
      }
      if (status !== 'draft' && random.chance(30)) entry.publishedAt = storedValue(random, { type: 'datetime' });
      return entry;
    });
  });
}

/** Ids for all, some or none of the entries; the others are numbered by the reader. */
function withIds(random: Random, entries: Entry[]): Entry[] {
  const percent = random.pick([0, 50, 100]);
  const ids = random.shuffled(Array.from({ length: entries.length * 2 }, (_, i) => i + 1));
  return entries.map((entry, i) => (random.chance(percent) ? { id: ids[i], ...entry } : entry));
}

function fillAttributes(filling: Filling, attributes: Record<string, Attribute>, entry: Entry, owner: string): void {
  const { random } = filling;
  for (const [name, attribute] of Object.entries(attributes)) {
    if (attribute.mappedBy || attribute.morphBy || random.chance(10)) continue;
    if (isScalar(attribute)) {
      entry[name] = random.chance(12) ? null : storedValue(random, attribute, filling.words);
    } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      const items = random.many(0, isMany(attribute) ? 3 : 1, () => componentValue(filling, attribute, owner));
      entry[name] = isMany(attribute) ? items : (items[0] ?? null);
    } else {
      const items = links(filling, attribute, `${owner} ${name}`);
      entry[name] = isMany(attribute) ? items : (items[0] ?? null);
    }
  }
}

function componentValue(filling: Filling, attribute: Attribute, owner: string): Entry {
  const uid = attribute.component ?? filling.random.pick(attribute.components!);
  const id = (filling.componentIds[uid] = (filling.componentIds[uid] ?? 0) + filling.random.integer(1, 2));
  const value: Entry = attribute.type === 'dynamiczone' ? { __component: uid, id } : { id };
  fillAttributes(filling, filling.snapshot.components![uid]!.attributes, value, owner);
  return value;
}

/** Related documents, as listed by the owner. */
function links({ random, documents, taken, types }: Filling, attribute: Attribute, owner: string): unknown[] {
  const most = isMany(attribute) ? 4 : 1;
  if (isPolymorphic(attribute)) {
    const all = Object.keys(types)
      .filter((uid) => uid.startsWith('api::'))
      .flatMap((uid) => documents[uid]!.map((documentId) => ({ __type: uid, documentId })));
    return random.some(all, 0, most);
  }
  const target = attribute.type === 'media' ? FILE : attribute.target!;
  if (attribute.relation !== 'oneToOne' || !attribute.inversedBy) return random.some(documents[target]!, 0, most);
  const free = documents[target]!.filter((documentId) => !taken.has(`${owner} ${documentId}`));
  const chosen = random.some(free, 0, 1);
  for (const documentId of chosen) taken.add(`${owner} ${documentId}`);
  return chosen;
}

function fillBuiltIn(random: Random, type: Type, entry: Entry): void {
  if (type.uid === USER) {
    Object.assign(entry, { email: `${entry.documentId}@example.org`, provider: 'local', password: 'hidden' });
    Object.assign(entry, { confirmed: true, blocked: random.chance(30), username: `${entry.documentId}é` });
    return;
  }
  Object.assign(entry, { hash: 'h', mime: random.pick(['image/png', 'image/jpeg']), size: 1.5, provider: 'local' });
  Object.assign(entry, { name: `${entry.documentId}.png`, url: `/uploads/${entry.documentId}.png` });
}

/** Every role may find files, because it is not specified whether media require the permission. */
function randomRoles(random: Random, types: Type[]): Role[] {
  return ['public', 'reader', 'editor'].map((type) => {
    const permissions = ['plugin::upload.content-api.find'];
    for (const { uid } of types) {
      if (uid === FILE) continue;
      if (random.chance(82)) permissions.push(`${uid}.find`);
      if (random.chance(75)) permissions.push(`${uid}.findOne`);
    }
    if (type === 'editor' || random.chance(30)) permissions.push('draft');
    return { type, name: type, permissions };
  });
}
