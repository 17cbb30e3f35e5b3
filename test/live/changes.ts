/** Random batches for the content of a model, one function for each kind of change. Null: the content has nothing to change. */
import { contentTypes, FILE, isMany, isPolymorphic, isScalar } from '../naive/types.ts';
import type { Random } from '../property/random.ts';
import {
  type Batch,
  type BatchEntity,
  type BatchLinks,
  type LinkTarget,
  type Model,
  PERMISSIONS,
  USERS,
  type Values,
} from './model.ts';
import { inverseOf } from './model-of-snapshot.ts';
import { Ids, randomComponent, randomData, randomValue, withNewComponentIds } from './values.ts';

export type Change = (random: Random, model: Model) => Batch | null;

interface Entry {
  type: string;
  id: number;
  data: Values;
}

const publishedAt = '2026-11-20T15:00:00.500Z';
const dates = ['2026-11-20T15:00:00.500Z', '2026-11-21T10:00:00.000Z', '1970-01-01T00:00:00.000Z'];

const apiTypes = (model: Model) =>
  Object.values(contentTypes(model.snapshot)).filter(({ uid }) => uid.startsWith('api::'));

const localesOf = ({ snapshot }: Model) => snapshot.settings!.locales!.map(({ code }) => code);

function entriesOf(model: Model, uids: readonly string[]): Entry[] {
  return uids.flatMap((type) => Array.from(model.rows(type), ([id, data]) => ({ type, id, data })));
}

/** An entry, seldom a file or user. */
function randomEntry(random: Random, model: Model): Entry | null {
  const uids = random.chance(88) ? apiTypes(model).map(({ uid }) => uid) : [FILE, USERS];
  const entries = entriesOf(model, uids);
  return entries.length > 0 ? random.pick(entries) : null;
}

/** Changes some values of an entry and of its components, which keep their ids. */
export function editValues(random: Random, model: Model): Batch | null {
  const entry = randomEntry(random, model);
  if (!entry) return null;
  const data = structuredClone(entry.data);
  const { data: edited, type } = random.pick([...model.rowsIn(entry.type, entry.id, data)]);
  const scalars = Object.entries(model.attributesOf(type)).filter(([, attribute]) => isScalar(attribute));
  for (const [name, attribute] of random.some(scalars, 1, 3)) edited[name] = randomValue(random, attribute);
  if (random.chance(80)) data.updatedAt = random.pick(dates);
  return { entities: [{ ...entry, data }], links: [] };
}

/** Adds, removes, reorders or replaces the components in an attribute. */
export function changeComponents(random: Random, model: Model): Batch | null {
  const holds = ({ type }: Entry) => componentNames(model, type).length > 0;
  const entries = entriesOf(
    model,
    apiTypes(model).map(({ uid }) => uid),
  ).filter(holds);
  if (entries.length === 0) return null;
  const entry = random.pick(entries);
  const data = structuredClone(entry.data);
  const rows = [...model.rowsIn(entry.type, entry.id, data)].filter(
    ({ type }) => componentNames(model, type).length > 0,
  );
  const { data: parent, type } = random.pick(rows);
  const name = random.pick(componentNames(model, type));
  const attribute = model.attributesOf(type)[name]!;
  const ids = new Ids(model);
  const added = random.many(0, isMany(attribute) ? 2 : 1, () => randomComponent(random, model, ids, attribute));
  const items = [parent[name] ?? []].flat() as Values[];
  const kept = random.shuffled([...random.some(items, 0, items.length), ...added]);
  parent[name] = isMany(attribute) ? kept : (kept[0] ?? null);
  const batch: Batch = { entities: [{ ...entry, data }], links: [] };
  return withLinksOfNewRows(random, model, batch);
}

function componentNames(model: Model, type: string): string[] {
  return Object.entries(model.attributesOf(type)).flatMap(([name, attribute]) =>
    attribute.component || attribute.components?.length ? [name] : [],
  );
}

/** A new entry: of a new document, or another version of a known one. Its id is above all others. */
export function insert(random: Random, model: Model): Batch | null {
  const uid = random.chance(85) ? random.pick(apiTypes(model)).uid : random.pick([FILE, USERS]);
  return insertAs(random, model, uid, new Ids(model).next(random, uid));
}

/** A new entry with the id of one that was deleted. */
export function revive(random: Random, model: Model): Batch | null {
  const deleted = apiTypes(model).flatMap(({ uid }) => {
    return [...model.used(uid)].filter((id) => !model.rows(uid).has(id)).map((id) => [uid, id] as const);
  });
  if (deleted.length === 0) return null;
  const [uid, id] = random.pick(deleted);
  return insertAs(random, model, uid, id);
}

/** A new entry with an id below the greatest one. */
export function insertBelow(random: Random, model: Model): Batch | null {
  const free = apiTypes(model).flatMap(({ uid }) => {
    const used = model.used(uid);
    const greatest = Math.max(0, ...used);
    return Array.from({ length: greatest }, (_, i) => i + 1).flatMap((id) =>
      used.has(id) ? [] : [[uid, id] as const],
    );
  });
  if (free.length === 0) return null;
  const [uid, id] = random.pick(free);
  return insertAs(random, model, uid, id);
}

function insertAs(random: Random, model: Model, uid: string, id: number): Batch | null {
  const version = freeVersion(random, model, uid);
  if (!version) return null;
  const data = { ...randomData(random, model, new Ids(model), uid), ...version };
  if (random.chance(80)) data.createdAt = random.pick(dates);
  if (random.chance(80)) data.updatedAt = random.pick(dates);
  const links = random.chance(60) ? randomLinks(random, model, uid, id) : [];
  return withLinksOfNewRows(random, model, { entities: [{ type: uid, id, data }], links });
}

/** Many new entries of one type with a few hundred values, so that queries choose among more ways to find a page. */
export function crowd(random: Random, model: Model, count: number): Batch {
  const types = apiTypes(model).filter(({ kind }) => kind !== 'singleType');
  const batch: Batch = { entities: [], links: [] };
  if (types.length === 0) return batch;
  const { uid, drafts, localized } = random.pick(types);
  const ids = new Ids(model);
  for (let i = 0; i < count; i++) {
    const documentId = `crowd-${i}`;
    for (const date of drafts ? random.some([publishedAt, null], 1, 2) : [publishedAt]) {
      const id = ids.next(random, uid);
      const version = { documentId, locale: localized ? random.pick(localesOf(model)) : null, publishedAt: date };
      const data = { ...randomData(random, model, ids, uid), ...version, updatedAt: random.pick(dates) };
      batch.entities.push({ type: uid, id, data });
      if (random.chance(50)) batch.links.push(...randomLinks(random, model, uid, id));
    }
  }
  return withLinksOfNewRows(random, model, batch);
}

/** documentId, status and locale of a version that does not exist. Single types have one document. */
function freeVersion(random: Random, model: Model, uid: string): Values | null {
  const { kind, singularName } = contentTypes(model.snapshot)[uid]!;
  const documents = [...new Set(entriesOf(model, [uid]).map(({ data }) => data.documentId as string))];
  const known = documents.length > 0 && (kind === 'singleType' || random.chance(50)) ? random.pick(documents) : null;
  const version = known === null ? null : freeVersionOf(random, model, uid, known);
  if (version || (kind === 'singleType' && documents.length > 0)) return version;
  return freeVersionOf(random, model, uid, `${singularName}-new-${random.integer(1, 9999)}`);
}

function freeVersionOf(random: Random, model: Model, uid: string, documentId: string): Values | null {
  const { localized, drafts } = contentTypes(model.snapshot)[uid]!;
  const taken = new Set(entriesOf(model, [uid]).map(({ data }) => versionOf(data, drafts)));
  const versions = (localized ? localesOf(model) : [null]).flatMap((locale) =>
    (drafts ? [publishedAt, null] : [publishedAt]).map((date) => ({ documentId, locale, publishedAt: date })),
  );
  const free = versions.filter((version) => !taken.has(versionOf(version, drafts)));
  return free.length > 0 ? random.pick(free) : null;
}

const versionOf = ({ documentId, locale, publishedAt: date }: Values, drafts: boolean) =>
  JSON.stringify([documentId, locale ?? null, !drafts || (date ?? null) !== null]);

/** Moves an entry to another locale or status. Its id and document stay. */
export function changeVersion(random: Random, model: Model): Batch | null {
  const movable = apiTypes(model).filter(({ drafts, localized }) => drafts || localized);
  const entries = entriesOf(
    model,
    movable.map(({ uid }) => uid),
  );
  for (const entry of random.some(entries, 5, 5)) {
    const version = freeVersionOf(random, model, entry.type, entry.data.documentId as string);
    if (version) return { entities: [{ ...entry, data: { ...entry.data, ...version } }], links: [] };
  }
  return null;
}

/** Deletes an entry, or all versions of a document. */
export function remove(random: Random, model: Model): Batch | null {
  const entry = randomEntry(random, model);
  if (!entry) return null;
  const isGone = ({ id, data }: Entry) => id === entry.id || (isWhole && data.documentId === entry.data.documentId);
  const isWhole = random.chance(40);
  const gone = entriesOf(model, [entry.type]).filter(isGone);
  return { entities: gone.map(({ type, id }) => ({ type, id, data: null })), links: [] };
}

/**
 * Publishes a draft as Strapi does: the published row and its components are deleted, and a copy of the draft gets ids
 * above all others. Links to the published row lead to the new one.
 */
export function publish(random: Random, model: Model): Batch | null {
  const withDrafts = apiTypes(model).filter(({ drafts }) => drafts);
  const drafts = entriesOf(
    model,
    withDrafts.map(({ uid }) => uid),
  ).filter(({ data }) => (data.publishedAt ?? null) === null);
  if (drafts.length === 0) return null;
  const { type, id: draft, data } = random.pick(drafts);
  const isPublished = (other: Entry) =>
    other.data.documentId === data.documentId &&
    other.data.locale === data.locale &&
    (other.data.publishedAt ?? null) !== null;
  const old = entriesOf(model, [type]).filter(isPublished);
  const ids = new Ids(model);
  const id = ids.next(random, type);
  const copy = withNewComponentIds(random, model, ids, type, data);
  const entities: BatchEntity[] = old.map((entry) => ({ type, id: entry.id, data: null }));
  entities.push({ type, id, data: { ...copy.data, publishedAt } });
  const links = [{ type, from: draft, to: id }, ...copy.renamed.values()].flatMap(({ type: uid, from, to }) =>
    model.linkNames(uid).flatMap((attribute): BatchLinks[] => {
      const targets = model.linksOf(uid, from, attribute).filter((target) => !old.some(isTarget(target, type)));
      return targets.length > 0 ? [{ type: uid, id: to, attribute, targets: [...targets] }] : [];
    }),
  );
  const dead = new Set(
    old.flatMap((entry) => [...model.rowsIn(type, entry.id, entry.data)].map((row) => `${row.type} ${row.id}`)),
  );
  for (const [row, lists] of model.links) {
    if (dead.has(row)) continue;
    for (const [attribute, targets] of lists) {
      if (!targets.some((target) => old.some(isTarget(target, type)))) continue;
      const [uid, source] = row.split(' ');
      const moved = targets.map((target) => (old.some(isTarget(target, type)) ? { ...target, id } : target));
      links.push({ type: uid!, id: Number(source), attribute, targets: moved });
    }
  }
  return { entities, links };
}

const isTarget = (target: LinkTarget, type: string) => (entry: Entry) => target.type === type && target.id === entry.id;

/** Replaces the links of one to three rows in an attribute. */
export function moveLinks(random: Random, model: Model): Batch | null {
  const uids = [...apiTypes(model).map(({ uid }) => uid), USERS];
  const rows = entriesOf(model, uids).flatMap(({ type, id, data }) => [...model.rowsIn(type, id, data)]);
  const owners = rows.filter(({ type }) => model.linkNames(type).length > 0);
  const links = random.some(owners, 1, 3).map(({ type, id }) => {
    const attribute = random.pick(model.linkNames(type));
    return { type, id, attribute, targets: randomTargets(random, model, type, attribute) };
  });
  return links.length > 0 ? { entities: [], links } : null;
}

/** Removes a link, or exchanges the positions of two, in a list that has some. */
export function editLinks(random: Random, model: Model): Batch | null {
  const lists = Array.from(model.links, ([row, byName]) =>
    Array.from(byName, ([attribute, targets]) => ({ row, attribute, targets })),
  )
    .flat()
    .filter(({ row, targets }) => targets.length > 0 && !row.startsWith(PERMISSIONS));
  if (lists.length === 0) return null;
  const { row, attribute, targets } = random.pick(lists);
  const [type, id] = row.split(' ');
  const positions = random.shuffled(targets.map(({ position }) => position));
  const moved = targets.map((target, i) => placed(model.attributesOf(type!)[attribute]!, target, positions[i]!));
  const changed = random.chance(50) ? moved : targets.filter((_, i) => i !== random.integer(0, targets.length - 1));
  return { entities: [], links: [{ type: type!, id: Number(id), attribute, targets: changed }] };
}

type Attribute = ReturnType<Model['attributesOf']>[string];

/** The positions of a polymorphic link are one. */
function placed(attribute: Attribute, target: LinkTarget, position: number): LinkTarget {
  return { ...target, position, inversePosition: isPolymorphic(attribute) ? position : target.inversePosition };
}

function randomLinks(random: Random, model: Model, type: string, id: number): BatchLinks[] {
  return random
    .some(model.linkNames(type), 0, 4)
    .map((attribute) => ({ type, id, attribute, targets: randomTargets(random, model, type, attribute) }));
}

function randomTargets(random: Random, model: Model, owner: string, name: string): LinkTarget[] {
  const attribute = model.attributesOf(owner)[name]!;
  const uids = isPolymorphic(attribute)
    ? apiTypes(model).map(({ uid }) => uid)
    : [attribute.type === 'media' ? FILE : attribute.target!];
  const all = entriesOf(model, uids);
  const chosen = random.some(all, 0, isMany(attribute) ? 5 : 1);
  return chosen.map(({ type, id }, i) => {
    const position = random.chance(70) ? i : random.pick([0, 1, 1.5, 7]);
    const types = contentTypes(model.snapshot);
    const target = { type, id, position, inversePosition: random.pick([0, 0, 1, 2, 40]) };
    return placed(
      attribute,
      { ...target, ...(types[type] ? inverseOf(types[type], owner, name, attribute) : {}) },
      position,
    );
  });
}

/** Gives links to some of the components that a batch adds. */
function withLinksOfNewRows(random: Random, model: Model, { entities, links }: Batch): Batch {
  const added = entities.flatMap(({ type, id, data }) => {
    return data === null
      ? []
      : [...model.rowsIn(type, id, data)].slice(1).filter((row) => !model.isLive(row.type, row.id));
  });
  return {
    entities,
    links: [
      ...links,
      ...added.flatMap(({ type, id }) => (random.chance(50) ? randomLinks(random, model, type, id) : [])),
    ],
  };
}
