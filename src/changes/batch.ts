/** The form in which changes reach threads, journals and replicas: plain JSON that names rows by type and id. */
import { z } from 'zod';
import type { Problems } from '../base/problems.ts';
import { runAtOnce, type Steps } from '../base/steps.ts';
import { findLimitViolationInValue } from '../load/parse/json-limits.ts';
import { validate } from '../load/validate.ts';
import { batchLimits } from './batch-limits.ts';

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
   * All attributes, as in the entities of an export: components are nested, each with its id, and relations are left out.
   * Components of the entry that are not among them are deleted. Null deletes the entry with its components, and all
   * links from and to them.
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

const batchSchema = z.strictObject({
  entities: z.array(
    z.strictObject({
      type: uid,
      id,
      data: z.record(z.string(), z.unknown()).nullable(),
      published: z.boolean().optional(),
    }),
  ),
  links: z.array(
    z.strictObject({
      type: uid,
      id,
      attribute: z.string(),
      targets: z.array(
        z.strictObject({
          type: uid,
          id,
          position: z.number(),
          inversePosition: z.number(),
          inverse: z.string().optional(),
        }),
      ),
    }),
  ),
});

/** Returns a value as a batch. Returns null and reports each problem with its path if it is not one, or is too large. */
export function readBatch(value: unknown, problems: Problems): Batch | null {
  const batch = validate(batchSchema, value, '', problems);
  const locations = { entities: 'entities', links: 'links', dataOf: (i: number) => `entities[${i}].data` };
  return batch && runAtOnce(checkSize(batch, problems, locations)) ? batch : null;
}

/** Locations in messages. */
interface BatchLocations {
  readonly entities: string;
  readonly links: string;
  /** Returns the location of the data of an entity. */
  dataOf(entity: number): string;
}

/** Reports the limits that a batch exceeds. Returns whether it exceeds none. */
export function* checkSize({ entities, links }: Batch, problems: Problems, locations: BatchLocations): Steps<boolean> {
  const before = problems.count;
  for (const [i, { data }] of entities.entries()) {
    const violation = findLimitViolationInValue(data);
    if (violation) problems.add(locations.dataOf(i), violation);
    yield;
  }
  if (entities.length > batchLimits.entities) {
    problems.add(locations.entities, `the batch has ${entities.length} entries; the limit is ${batchLimits.entities}`);
  }
  if (links.length > batchLimits.links) {
    problems.add(locations.links, `the batch has ${links.length} lists of links; the limit is ${batchLimits.links}`);
  }
  const targets = links.reduce((total, { targets: list }) => total + list.length, 0);
  if (targets > batchLimits.targets) {
    problems.add(locations.links, `the batch has more than ${batchLimits.targets} links`);
  }
  return problems.count === before;
}
