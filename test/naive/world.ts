import {
  type Attribute,
  type Database,
  type Entry,
  type Feature,
  isObject,
  type Role,
  type Snapshot,
  Unspecified,
} from './snapshot.ts';
import { componentTypes, contentTypes, FILE, isMany, isPolymorphic, isScalar, type Type } from './types.ts';
import { servedValue } from './values.ts';

/** One entry row, or one component with the status and locale of the entry that holds it. */
export interface Row {
  type: Type;
  id: number;
  documentId: string | null;
  status: 'published' | 'draft';
  locale: string | null;
  /** Served form of every scalar attribute. */
  scalars: Record<string, unknown>;
  /** Rows of every relation, media field, component and zone, in their order, of all statuses. */
  related: Record<string, Row[]>;
}

export interface World {
  /** Whose rules decide on the place of nulls and on the case of texts. */
  database: Database;
  /** Those that are switched on. */
  features: ReadonlySet<Feature>;
  types: Record<string, Type>;
  components: Record<string, Type>;
  rows: Record<string, Row[]>;
  defaultLocale: string;
  /** Of the settings; an entry can have no other. */
  locales: ReadonlySet<unknown>;
  roles: Role[];
}

/** Reads the snapshot into rows that point at each other. */
export function buildWorld(
  snapshot: Snapshot,
  database: Database = 'postgres',
  features: readonly Feature[] = [],
): World {
  const world: World = {
    database,
    features: new Set(features),
    types: contentTypes(snapshot),
    components: componentTypes(snapshot),
    rows: {},
    defaultLocale: snapshot.settings?.defaultLocale ?? 'en',
    locales: new Set([
      snapshot.settings?.defaultLocale ?? 'en',
      ...(snapshot.settings?.locales ?? []).map(({ code }) => code),
    ]),
    roles: snapshot.roles ?? [],
  };
  const entries: [Row, Entry][] = [];
  for (const type of Object.values(world.types)) {
    const inputs = snapshot.entries[type.singularName] ?? [];
    let last = 0;
    for (const input of inputs) if (typeof input.id === 'number' && input.id > last) last = input.id;
    world.rows[type.uid] = inputs.map((input) => {
      const row = entryRow(world, type, input, (input.id as number | undefined) ?? ++last);
      entries.push([row, input]);
      return row;
    });
    world.rows[type.uid]!.sort((a, b) => a.id - b.id);
  }
  for (const [row, input] of entries) linkOwned(world, row, input);
  const all = entries.map(([row]) => row);
  for (const row of all) {
    linkDerived(world, row);
    if (row.type.localized) linkLocalizations(row, all);
  }
  return world;
}

function entryRow(world: World, type: Type, input: Entry, id: number): Row {
  const status = type.drafts && input.status === 'draft' ? 'draft' : 'published';
  const row: Row = {
    type,
    id,
    documentId: input.documentId as string,
    status,
    locale: type.localized ? ((input.locale as string | undefined) ?? world.defaultLocale) : null,
    scalars: scalarsOf(type, input),
    related: {},
  };
  const datetime = { type: 'datetime' };
  row.scalars.createdAt = servedValue(datetime, input.createdAt);
  row.scalars.updatedAt = servedValue(datetime, input.updatedAt);
  row.scalars.publishedAt = status === 'draft' ? null : servedValue(datetime, input.publishedAt ?? input.createdAt);
  row.scalars.locale = row.locale;
  return row;
}

function scalarsOf(type: Type, input: Entry): Record<string, unknown> {
  const scalars: Record<string, unknown> = {};
  for (const [name, attribute] of Object.entries(type.attributes)) {
    if (isScalar(attribute)) scalars[name] = servedValue(attribute, input[name]);
  }
  return scalars;
}

/** Everything that is written on the row itself: owning relations, media, components, zones. */
function linkOwned(world: World, row: Row, input: Entry): void {
  for (const [name, attribute] of Object.entries(row.type.attributes)) {
    if (isScalar(attribute) || attribute.mappedBy || attribute.morphBy) continue;
    row.related[name] = [];
    for (const item of listOf(input[name])) row.related[name]!.push(...ownedRows(world, row, attribute, item));
    if (!isMany(attribute) && listOf(input[name]).length > 1) throw new Unspecified(`${name} holds a list`);
  }
}

function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function ownedRows(world: World, row: Row, attribute: Attribute, item: unknown): Row[] {
  if (attribute.type === 'media') return documentRows(world, row, FILE, item as string);
  if (attribute.type === 'component') return [componentRow(world, row, attribute.component!, item as Entry)];
  const record = isObject(item) ? item : {};
  if (attribute.type === 'dynamiczone') return [componentRow(world, row, record.__component as string, record)];
  if (isPolymorphic(attribute)) return documentRows(world, row, record.__type as string, record.documentId as string);
  return documentRows(world, row, attribute.target!, item as string);
}

function componentRow(world: World, owner: Row, uid: string, input: Entry): Row {
  if (typeof input.id !== 'number') throw new Unspecified(`component ${uid} without id`);
  const type = world.components[uid]!;
  const { status, locale } = owner;
  const row: Row = {
    type,
    id: input.id,
    documentId: null,
    status,
    locale,
    scalars: scalarsOf(type, input),
    related: {},
  };
  ownerTypes.set(row, ownerType(owner));
  linkOwned(world, row, input);
  return row;
}

/** The content type whose entry holds a component, at any depth. */
const ownerTypes = new WeakMap<Row, Type>();

function ownerType(row: Row): Type {
  return ownerTypes.get(row) ?? row.type;
}

/** The rows that a document stands for, as the owner sees it ("Which entry a `documentId` refers to"). */
function documentRows(world: World, owner: Row, uid: string, documentId: string): Row[] {
  const target = world.types[uid]!;
  const from = ownerType(owner);
  return world.rows[uid]!.filter((row) => {
    if (row.documentId !== documentId) return false;
    if (target.drafts && from.drafts && row.status !== owner.status) return false;
    if (target.localized) return row.locale === (from.localized ? owner.locale : world.defaultLocale);
    return true;
  });
}

/** The other side of two-way and polymorphic relations, by the owners' ids. */
function linkDerived(world: World, row: Row): void {
  for (const [name, attribute] of Object.entries(row.type.attributes)) {
    const owning = attribute.mappedBy ?? attribute.morphBy;
    if (!owning) continue;
    row.related[name] = world.rows[attribute.target!]!.filter((owner) => owner.related[owning]!.includes(row));
  }
}

/** `localizations`: the other locales of the document in the same status, as the entries are written. */
function linkLocalizations(row: Row, all: Row[]): void {
  row.related.localizations = all.filter((other) => {
    return other.type === row.type && other.documentId === row.documentId && isOtherLocale(row, other);
  });
}

function isOtherLocale(row: Row, other: Row): boolean {
  return other.status === row.status && other.locale !== row.locale;
}
