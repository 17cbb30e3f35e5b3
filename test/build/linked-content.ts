/** Random content of all kinds of links, its changes, and the stores of both. */
import fc from 'fast-check';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { readSchema } from '../../src/model/schema/read-schema.ts';
import { fileType, isPolymorphic, isScalar, type LinkAttribute, type Schema } from '../../src/model/schema/schema.ts';
import type { AttributeDefinition } from '../../src/model/schema/type-definition.ts';
import { digestAfterInSteps } from '../../src/store/overlay/digest-after.ts';
import { mergeDeltaInSteps } from '../../src/store/overlay/merge-delta.ts';
import { type PatchedStore, patchLinksInSteps, type ReplacedLinks } from '../../src/store/overlay/patch-links.ts';
import type { GivenLink } from '../../src/store/overlay/patched-lists.ts';
import { readNumber } from '../../src/store/read-value.ts';
import { rowOfId } from '../../src/store/segment.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { CollectionBuilder } from '../../src/store/writer/collection-builder.ts';
import { copyRows } from '../../src/store/writer/copy/copy-rows.ts';
import { inverseNumberOf } from '../../src/store/writer/links/shown-by.ts';
import { StoreBuilder } from '../../src/store/writer/store-builder.ts';

export interface Link {
  readonly type: string;
  readonly id: number;
  readonly position: number;
  readonly inversePosition: number;
  readonly inverse: string | undefined;
}

export interface Row {
  readonly documentId: string | null;
  readonly values: Readonly<Record<string, unknown>>;
  readonly published: boolean;
}

/** The rows of each type by id, and the links of each owning attribute (`uid attribute`) by id. */
export interface Content {
  readonly rows: Map<string, Map<number, Row>>;
  readonly links: Map<string, Map<number, readonly Link[]>>;
}

export interface Batch {
  readonly upserted: readonly { readonly uid: string; readonly id: number; readonly row: Row }[];
  readonly deleted: readonly { readonly uid: string; readonly id: number }[];
  readonly links: readonly {
    readonly uid: string;
    readonly id: number;
    readonly attribute: string;
    readonly targets: readonly Link[];
  }[];
}

const [a, b, one, two] = ['api::a.a', 'api::b.b', 'part.one', 'part.two'] as const;
export const uids = [a, b, fileType, one, two];

const relation = (relation: string, target?: string, more = {}) => ({ type: 'relation', relation, target, ...more });
const attributes: Record<string, Record<string, AttributeDefinition>> = {
  [a]: {
    title: { type: 'string' },
    visits: { type: 'biginteger' },
    score: { type: 'float' },
    extra: { type: 'json' },
    ref: relation('manyToOne', b),
    tags: relation('manyToMany', b, { inversedBy: 'tagged' }),
    secret: relation('oneToMany', b, { inversedBy: 'hidden', private: true }),
    untold: relation('oneToOne', b, { private: true }),
    parents: relation('manyToMany', a, { inversedBy: 'children' }),
    children: relation('manyToMany', a, { mappedBy: 'parents' }),
    cover: { type: 'media', multiple: false },
    gallery: { type: 'media', multiple: true },
    part: { type: 'component', component: one },
    parts: { type: 'component', component: two, repeatable: true },
    zone: { type: 'dynamiczone', components: [one, two] },
    target: relation('morphToOne'),
    targets: relation('morphToMany'),
    marks: relation('morphMany', a, { morphBy: 'targets' }),
  },
  [b]: {
    tagged: relation('manyToMany', a, { mappedBy: 'tags' }),
    hidden: relation('manyToOne', a, { mappedBy: 'secret' }),
    marks: relation('morphMany', a, { morphBy: 'targets' }),
    otherMarks: relation('morphMany', a, { morphBy: 'targets' }),
    mark: relation('morphOne', a, { morphBy: 'target' }),
    images: { type: 'media', multiple: true },
  },
  [fileType]: { related: relation('morphToMany') },
  [one]: {
    inner: { type: 'component', component: two, repeatable: true },
    image: { type: 'media', multiple: true },
    about: relation('oneToMany', b),
  },
  [two]: { about: relation('oneToOne', a) },
};

export interface Shape {
  /** Some of the names of attributes. */
  readonly omitted: readonly string[];
  readonly drafts: boolean;
  readonly localized: boolean;
  readonly linksLocalizations: boolean;
}

const mostly = fc.constantFrom(true, true, true, false);

export const shapes: fc.Arbitrary<Shape> = fc.record({
  omitted: fc.subarray(['ref', 'cover', 'zone', 'target', 'marks', 'related', 'otherMarks', 'images', 'inner']),
  drafts: mostly,
  localized: mostly,
  linksLocalizations: mostly.map((isUsual) => !isUsual),
});

export function schemaOf({ omitted, drafts, localized }: Shape): Schema {
  const definitions = uids.map((uid) => ({
    uid,
    location: uid,
    component: uid.startsWith('part.'),
    options: { draftAndPublish: drafts && uid === a },
    pluginOptions: { i18n: { localized: localized && uid !== fileType } },
    attributes: Object.fromEntries(Object.entries(attributes[uid]!).filter(([name]) => !omitted.includes(name))),
  }));
  return readSchema(definitions, new Problems('tolerant'));
}

/** Returns the attributes whose links a snapshot gives. */
export function owningAttributes(
  schema: Schema,
  { linksLocalizations }: Shape,
): { uid: string; attribute: LinkAttribute }[] {
  return uids.flatMap((uid) =>
    Array.from(schema.type(uid).attributes.values()).flatMap((attribute) => {
      if (isScalar(attribute)) return [];
      const isLocalizations = attribute.name === 'localizations';
      if (isLocalizations ? !linksLocalizations || attribute.private : !attribute.owner) return [];
      return isPolymorphic(attribute) || uids.includes(attribute.target) ? { uid, attribute } : [];
    }),
  );
}

const ids = fc.integer({ min: 1, max: 5 });
const position = fc.constantFrom(0, 1, 2, 0.5);
const row: fc.Arbitrary<Row> = fc.record({
  documentId: fc.option(fc.constantFrom('x', 'y'), { freq: 6 }),
  values: fc.record({
    title: fc.constantFrom(null, '', 'é', 'one', 'two', 'x'.repeat(300)),
    visits: fc.constantFrom(null, '9007199254740993', '-1', '7'),
    score: fc.constantFrom(null, -0.5, 1e21),
    extra: fc.constantFrom(null, {}, { a: [1, 'é'] }),
  }),
  published: fc.boolean(),
});

function linksOf(attribute: LinkAttribute): fc.Arbitrary<Link[]> {
  const types = isPolymorphic(attribute) ? (attribute.components ?? [a, b, fileType]) : [attribute.target];
  const link = fc.record({
    type: fc.constantFrom(...types),
    id: ids,
    position,
    inversePosition: position,
    inverse: isPolymorphic(attribute)
      ? fc.constantFrom(undefined, undefined, 'marks', 'otherMarks', 'mark', '')
      : fc.constant(undefined),
  });
  return fc.array(link, { maxLength: attribute.many ? 4 : 1 });
}

/** Changes of many rows and links, or of few. An id is changed once; links may lead to rows that do not exist. */
export function batches(schema: Schema, shape: Shape, most: { rows: number; links: number }): fc.Arbitrary<Batch> {
  const change = fc.tuple(fc.constantFrom(...uids), ids, fc.option(row, { freq: 4 }));
  const links = fc
    .constantFrom(...owningAttributes(schema, shape))
    .chain(({ uid, attribute }) => fc.tuple(fc.constant(uid), ids, fc.constant(attribute.name), linksOf(attribute)));
  const rowKey = ([uid, id]: readonly [string, number, ...unknown[]]) => `${uid} ${id}`;
  const changes = fc.uniqueArray(change, { selector: rowKey, maxLength: most.rows, size: 'max' });
  const replaced = fc.uniqueArray(links, {
    selector: ([uid, id, attribute]) => `${uid} ${id} ${attribute}`,
    maxLength: most.links,
    size: 'max',
  });
  return fc.tuple(changes, replaced).map(([rows, links]) => ({
    upserted: rows.flatMap(([uid, id, row]) => (row ? { uid, id, row } : [])),
    deleted: rows.flatMap(([uid, id, row]) => (row ? [] : { uid, id })),
    links: links.map(([uid, id, attribute, targets]) => ({ uid, id, attribute, targets })),
  }));
}

export function emptyContent(): Content {
  return { rows: new Map(uids.map((uid) => [uid, new Map()])), links: new Map() };
}

/**
 * Applies a batch to content. Returns the part of the batch that names rows that exist, with the new lists of dynamic
 * zones that lose components.
 */
export function applyToContent({ rows, links }: Content, batch: Batch): Batch {
  const deleted = batch.deleted.filter(({ uid, id }) => rows.get(uid)!.delete(id));
  for (const { uid, id, row } of batch.upserted) rows.get(uid)!.set(id, row);
  const exists = (uid: string, id: number) => rows.get(uid)!.has(id);
  const shortened: Batch['links'][number][] = [];
  for (const [name, lists] of links) {
    const [uid, attribute] = name.split(' ') as [string, string];
    for (const [id, list] of lists) {
      if (!exists(uid, id)) {
        lists.delete(id);
        continue;
      }
      const targets = list.filter((link) => exists(link.type, link.id));
      lists.set(id, targets);
      const isNamed = batch.links.some((one) => one.uid === uid && one.id === id && one.attribute === attribute);
      if (attribute === 'zone' && targets.length < list.length && !isNamed) {
        shortened.push({ uid, id, attribute, targets });
      }
    }
  }
  const replaced = batch.links
    .filter(({ uid, id }) => exists(uid, id))
    .map((change) => ({ ...change, targets: change.targets.filter(({ type, id }) => exists(type, id)) }));
  for (const { uid, id, attribute, targets } of replaced) {
    const name = `${uid} ${attribute}`;
    links.set(name, (links.get(name) ?? new Map()).set(id, targets));
  }
  return { upserted: batch.upserted, deleted, links: [...replaced, ...shortened] };
}

const valuesOf = (id: number, { documentId, values }: Row) => ({ ...values, id, documentId });
const optionsOf = ({ linksLocalizations }: Shape) => ({
  linksLocalizations,
  derived: { versionLinks: true, jsonTexts: true },
  gathersJsonTexts: true,
});

/** Builds the store of content. `idsOf` returns the ids of a type in the order of loading. */
export function build(
  schema: Schema,
  shape: Shape,
  { rows, links }: Content,
  idsOf: (uid: string) => readonly number[],
): Store {
  const builder = new StoreBuilder(schema, new Problems('strict'), optionsOf(shape));
  const ordinals = new Map<string, Map<number, number>>();
  for (const uid of uids) {
    const typeRows = rows.get(uid)!;
    const add = (id: number) => {
      const row = typeRows.get(id)!;
      return builder.rows(uid).add(valuesOf(id, row), row.published, uid);
    };
    ordinals.set(uid, new Map(idsOf(uid).map((id) => [id, add(id)])));
  }
  const ordinal = (uid: string, id: number) => ordinals.get(uid)!.get(id)!;
  for (const [name, lists] of links) {
    const [uid, attribute] = name.split(' ') as [string, string];
    const target = builder.links(uid, attribute);
    for (const [id, list] of lists) {
      for (const { type, id: to, position, inversePosition, inverse } of list) {
        target.add(ordinal(uid, id), builder.numberOf(type), ordinal(type, to), position, inversePosition, inverse);
      }
    }
  }
  return builder.finish('en');
}

/** Applies a batch to a store, as `content.apply` does. */
export function applyToStore(
  store: Store,
  shape: Shape,
  { upserted, deleted, links }: Batch,
): PatchedStore & { store: Store } {
  const { schema } = store;
  const numberOf = (uid: string) => store.byUid.get(uid)!.number;
  const merged = store.segments.map((segment) => {
    const { type } = segment.collection;
    const rows = upserted.filter(({ uid }) => uid === type.uid);
    const removed = deleted.filter(({ uid }) => uid === type.uid).map(({ id }) => rowOfId(segment, id)!);
    if (rows.length + removed.length === 0) return segment;
    const builder = new CollectionBuilder(type, new Problems('strict'), optionsOf(shape));
    for (const { id, row } of rows) builder.add(valuesOf(id, row), row.published, type.uid);
    return runAtOnce(mergeDeltaInSteps(segment, rows.length > 0 ? builder.finish() : null, removed));
  });
  const rowOf = (uid: string, id: number) => rowOfId(merged[numberOf(uid)]!, id)!;
  const upsertedRows = new Map<number, number[]>();
  for (const { uid, id } of upserted) {
    upsertedRows.set(numberOf(uid), [...(upsertedRows.get(numberOf(uid)) ?? []), rowOf(uid, id)]);
  }
  const replaced = new Map<number, Map<string, Map<number, GivenLink[]>>>();
  for (const { uid, id, attribute, targets } of links) {
    const given = targets.map(({ type, id: target, inverse, ...positions }) => ({
      ...positions,
      collection: numberOf(type),
      row: rowOf(type, target),
      shownBy: inverse === undefined ? 0 : inverseNumberOf(schema.type(type), inverse),
    }));
    const ofType = replaced.get(numberOf(uid)) ?? new Map<string, Map<number, GivenLink[]>>();
    const ofAttribute = ofType.get(attribute) ?? new Map<number, GivenLink[]>();
    replaced.set(numberOf(uid), ofType.set(attribute, ofAttribute.set(rowOf(uid, id), given)));
  }
  const patched = runAtOnce(
    patchLinksInSteps(store, merged, {
      upserted: upsertedRows,
      replaced: replaced satisfies Map<number, Map<string, ReplacedLinks>>,
    }),
  );
  const after = createStore(store, patched.segments);
  const contentDigest = runAtOnce(digestAfterInSteps(store, after, upsertedRows, patched.relinked));
  return { ...patched, store: createStore({ ...after, contentDigest }, patched.segments) };
}

/** Copies the live rows of a store with changes into a new one. */
export function copyOf(store: Store, shape: Shape): Store {
  const builder = new StoreBuilder(store.schema, new Problems('strict'), optionsOf(shape));
  copyRows(store, builder);
  return builder.finish('en');
}

/** Returns the ids of the live rows of a type as a fresh build has to load them, to list localizations alike. */
export function idsInLoadOrder(store: Store, uid: string): number[] {
  const { number, loadOrder, rowCount } = store.byUid.get(uid)!;
  const segment = store.segments[number]!;
  const rows = [...(loadOrder ?? Array(rowCount).keys())];
  for (let row = rowCount; row < segment.rowCount; row++) rows.push(row);
  const ids = rows.filter((row) => segment.isLive(row)).map((row) => readNumber(segment, row, 'id')!);
  return loadOrder ? ids : ids.sort((x, y) => x - y);
}

/** A shape, the content of the base, and batches of changes. */
export const histories = shapes.chain((shape) => {
  const schema = schemaOf(shape);
  return fc.record({
    shape: fc.constant(shape),
    base: batches(schema, shape, { rows: 25, links: 60 }),
    isShuffled: fc.boolean(),
    changes: fc.array(batches(schema, shape, { rows: 6, links: 12 }), { minLength: 1, maxLength: 4, size: 'max' }),
  });
});

/** Builds the base, with rows in the order of ids or in the opposite order. */
export function baseOf(shape: Shape, base: Batch, isShuffled: boolean) {
  const schema = schemaOf(shape);
  const content = emptyContent();
  applyToContent(content, base);
  const idsOf = (uid: string) => [...content.rows.get(uid)!.keys()].sort((x, y) => (isShuffled ? y - x : x - y));
  return { schema, content, store: build(schema, shape, content, idsOf) };
}
