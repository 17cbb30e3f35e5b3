/** The form in which a source, a journal or a replica gives changes: plain JSON that names rows by type and id. */
import { z } from 'zod';
import { validate } from '../../core/describe-problem.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { Problems, preview } from '../../core/problems.ts';
import { runAtOnce, type Steps } from '../../core/steps.ts';
import { didYouMean } from '../../core/suggest.ts';
import { findViolationInSteps } from '../../load/limits.ts';
import type { Schema } from '../../model/schema/schema.ts';
import { maximumJsonKeys } from '../../model/schema/value-types.ts';

/** Changes that are applied together or not at all. */
export interface Batch {
  /** The entries that are new, have other values or are deleted. No entry occurs twice. */
  readonly entities: readonly BatchEntity[];
  /** The lists of links that are replaced. No list occurs twice. */
  readonly links: readonly BatchLinks[];
}

export interface BatchEntity {
  /** The uid of a content type. */
  readonly type: string;
  /** A positive integer. The entry that has it keeps its documentId. */
  readonly id: number;
  /**
   * All attributes, as in the entities of an export: components are nested, each with its id, and relations are left
   * out. Components of the entry that are not among them are deleted. Null deletes the entry with its components, and
   * all links from and to them.
   */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Default: true if `data.publishedAt` is not null or the type has no drafts. */
  readonly published?: boolean;
}

/**
 * The links of an entry or component in an owning attribute. An entry keeps its links in attributes that a batch does
 * not name.
 */
export interface BatchLinks {
  readonly type: string;
  readonly id: number;
  readonly attribute: string;
  readonly targets: readonly LinkTarget[];
}

/** The target of a link: an entry that exists after the batch. */
export interface LinkTarget {
  readonly type: string;
  readonly id: number;
  /** The position among the targets of the row. Targets at the same position are in the order of their ids. */
  readonly position: number;
  /** The position among the sources of the target. Sources at the same position are in the order of their ids. */
  readonly inversePosition: number;
  /**
   * For a polymorphic list: the only inverse attribute that shows the link. Empty for none. Default: every inverse
   * attribute shows it.
   */
  readonly inverse?: string;
}

const uid = z.string().min(1);
const id = z.int().min(1);

const entitySchema = z.strictObject({
  type: uid,
  id,
  data: z.record(z.string(), z.unknown()).nullable(),
  published: z.boolean().optional(),
});

const targetSchema = z.strictObject({
  type: uid,
  id,
  position: z.number(),
  inversePosition: z.number(),
  inverse: z.string().optional(),
});

const linksSchema = z.strictObject({ type: uid, id, attribute: z.string(), targets: z.array(targetSchema) });
const batchSchema = z.strictObject({ entities: z.array(entitySchema), links: z.array(linksSchema) });

/** A batch and a list of links whose items are validated one by one. */
const outerBatchSchema = z.strictObject({ entities: z.array(z.unknown()), links: z.array(z.unknown()) });
const outerLinksSchema = linksSchema.extend({ targets: z.array(z.unknown()) });

/**
 * Returns a value as a batch. Returns null and reports each problem with its path if it is no batch, or is too large.
 */
export function* readBatchInSteps(value: unknown, problems: Problems): Steps<Batch | null> {
  if (isPlainObject(value) && exceedsCounts(value, problems, batchLocations)) return null;
  const outer = validate(outerBatchSchema, value, '', problems);
  if (!outer) return null;
  const whole = { value, schema: batchSchema };
  const { count } = problems;
  const entities: BatchEntity[] = [];
  for (const [i, item] of outer.entities.entries()) {
    const entity = validate(entitySchema, item, '', problems, { ...whole, path: ['entities', i] });
    if (entity) entities.push(entity);
    yield;
  }
  const links: BatchLinks[] = [];
  for (const [i, item] of outer.links.entries()) {
    const list = validate(outerLinksSchema, item, '', problems, { ...whole, path: ['links', i] });
    const targets: LinkTarget[] = [];
    for (const [j, given] of (list?.targets ?? []).entries()) {
      const target = validate(targetSchema, given, '', problems, { ...whole, path: ['links', i, 'targets', j] });
      if (target) targets.push(target);
      yield;
    }
    if (list) links.push({ ...list, targets });
    yield;
  }
  if (problems.count > count) return null;
  yield* checkDataInSteps(entities, problems, batchLocations);
  return problems.count > count ? null : { entities, links };
}

/** Whether a batch that a source has made is within the limits. `bytes` is the size of its data as JSON. */
export function isWithinLimits(batch: Batch, bytes: number): boolean {
  const problems = new Problems('tolerant', 'batch');
  return bytes <= batchLimits.bytes && runAtOnce(checkSizeInSteps(batch, problems, batchLocations));
}

/** Locations in messages. */
interface BatchLocations {
  readonly entities: string;
  readonly links: string;
  /** Returns the location of the data of an entity. */
  dataOf(entity: number): string;
}

/** Locations in a batch that was not made of changes. */
const batchLocations: BatchLocations = { entities: 'entities', links: 'links', dataOf: (i) => `entities[${i}].data` };

/** Reports the limits that a batch exceeds. Returns whether it exceeds none. */
export function* checkSizeInSteps(batch: Batch, problems: Problems, locations: BatchLocations): Steps<boolean> {
  const before = problems.count;
  yield* checkDataInSteps(batch.entities, problems, locations);
  exceedsCounts(batch, problems, locations);
  return problems.count === before;
}

function* checkDataInSteps(
  entities: readonly BatchEntity[],
  problems: Problems,
  { dataOf }: BatchLocations,
): Steps<void> {
  for (const [i, { data }] of entities.entries()) {
    const violation = yield* findViolationInSteps(data);
    if (violation) problems.add(dataOf(i), violation);
    yield;
  }
}

/** Reports lists with too many items in a value that may not be a batch. Returns whether there are any. */
function exceedsCounts(
  { entities, links }: { readonly entities?: unknown; readonly links?: unknown },
  problems: Problems,
  locations: BatchLocations,
): boolean {
  const before = problems.count;
  const entityCount = lengthOf(entities);
  if (entityCount > batchLimits.entities) {
    problems.add(locations.entities, `the batch has ${entityCount} entries; the limit is ${batchLimits.entities}`);
  }
  const linkCount = lengthOf(links);
  if (linkCount > batchLimits.links) {
    problems.add(locations.links, `the batch has ${linkCount} lists of links; the limit is ${batchLimits.links}`);
  } else if (Array.isArray(links)) {
    const targets = links.reduce((total, list) => total + lengthOf(list?.targets), 0);
    if (targets > batchLimits.targets) {
      problems.add(locations.links, `the batch has more than ${batchLimits.targets} links`);
    }
  }
  return problems.count > before;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/** Limits on one batch of changes. An exceeded limit is an error that gives its value. */
export const batchLimits = {
  /**
   * Bytes of a batch as JSON, its values (commas and opening brackets), and the keys of one object in it, as in the
   * JSON of an attribute. The reader of the JSON checks them.
   */
  bytes: 64 * 2 ** 20,
  values: 6_000_000,
  keys: maximumJsonKeys,
  /** Bytes of one text in the JSON. A text is built in one turn of the event loop, in about 20 ms for each MiB. */
  textBytes: 4 * 2 ** 20,
  /** Characters of one number in the JSON. */
  numberBytes: 1000,
  /** Values of a body besides the changes or the batch in it. */
  otherValues: 10_000,
  /** Entries of a batch, or changes in JSON. */
  entities: 10_000,
  /** Characters of the documentId of a new document, as many as its column in the database of a Strapi holds. */
  documentId: 255,
  /** Lists of links. */
  links: 100_000,
  /** Links in all lists. */
  targets: 1_000_000,
  /** Id of a new row. Where the store has a greater id, new ids may exceed that by `idGap`. */
  id: 2 ** 52,
  idGap: 2 ** 24,
} as const;

/** Returns the message for a uid that names no content type. */
export function describeWrongType({ types }: Schema, uid: string): string {
  if (types.get(uid)?.kind === 'component') {
    return `${preview(uid)} is a component: components are part of their entry`;
  }
  return `${preview(uid)} is no content type${types.has(uid) ? '' : didYouMean(uid, types.keys())}`;
}
