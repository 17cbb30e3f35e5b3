/** Reads rows that changed during a pull again, until all rows are of one state. */
import { type CheckedLinks, checkLinks } from './check-links.ts';
import type { PulledRows } from './pulled-rows.ts';
import type { RestTypes } from './rest-types.ts';
import type { RowSource } from './row-source.ts';
import { isShownScalar, type Slice } from './slices.ts';
import type { StrapiClient } from './strapi-client.ts';

export interface Settling {
  readonly client: StrapiClient;
  readonly types: RestTypes;
  readonly slices: readonly Slice[];
  readonly reader: RowSource;
  readonly rows: PulledRows;
}

/** Maximum number of rounds, for content that never settles. */
const maxRounds = 6;
/** A transaction writes the time of its start, and is visible at its end. In milliseconds. */
const overlap = 5000;
/** Maximum number of ids in the URL of a request. */
const idsPerRequest = 50;

/**
 * Reads again what changed since the given time of the server, in milliseconds since 1970. Returns the links of all
 * rows, and whether the last round found no change.
 */
export async function settle(
  settling: Settling,
  since: number,
): Promise<CheckedLinks & { readonly isSettled: boolean }> {
  const { client, types, slices, rows } = settling;
  for (let round = 1, start = since; ; round++) {
    const next = client.serverTime ?? start;
    const counts = await Promise.all(slices.map((slice) => refresh(settling, slice, start - overlap)));
    const links = await checkLinks(types, slices, rows);
    const again = Array.from(links.suspicious, ([slice, ids]) => readAgain(settling, slice, Array.from(ids)));
    const changed = [...counts, ...(await Promise.all(again))].reduce((total, each) => total + each, 0);
    if (changed === 0 || round === maxRounds) return { ...links, isSettled: changed === 0 };
    start = next;
  }
}

/** Reads the rows of a slice that changed since a time. Returns how many are new or different. */
async function refresh(settling: Settling, slice: Slice, since: number): Promise<number> {
  const { reader, rows } = settling;
  const { kind, type } = slice.readable;
  const hasTime = isShownScalar(type, 'updatedAt');
  if (kind === 'single' || !hasTime) return compareAll(settling, slice);
  if (kind === 'list') return compareTimes(settling, slice);
  const time = { $gte: new Date(since).toISOString() };
  // a published row keeps the time at which its draft was edited
  const dates = isShownScalar(type, 'publishedAt')
    ? [{ updatedAt: time }, { publishedAt: time }]
    : [{ updatedAt: time }];
  const ids: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await reader.scan(slice, after, ['id'], { $or: dates });
    ids.push(...page.rows.map(({ id }) => id));
    after = page.next;
  }
  const changed = await readAgain(settling, slice, ids);
  // deleted rows, and those that an import added with old dates
  if ((await reader.count(slice)) === rows.count(slice)) return changed;
  return changed + (await compareTimes(settling, slice));
}

/** Compares the ids and times of all rows, and reads those that differ. */
async function compareTimes(settling: Settling, slice: Slice): Promise<number> {
  const { reader, rows } = settling;
  const found = new Set<number>();
  const different: number[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await reader.scan(slice, after, slice.isOnlyLinks ? ['id'] : ['id', 'updatedAt']);
    for (const { id, updatedAt } of page.rows) {
      found.add(id);
      if (!rows.has(slice, id) || rows.updatedAt(slice, id) !== updatedAt) different.push(id);
    }
    after = page.next;
  }
  const missing = Array.from(rows.ids(slice)).filter((id) => !found.has(id));
  return rows.drop(slice, missing) + (await readAgain(settling, slice, different));
}

/** Reads all rows. */
async function compareAll({ reader, rows }: Settling, slice: Slice): Promise<number> {
  const found = new Set<number>();
  let changed = 0;
  for (let after: number | null = 0; after !== null; ) {
    const page = await reader.page(slice, after);
    for (const { id } of page.rows) found.add(id);
    changed += await rows.put(slice, page.rows);
    after = page.next;
  }
  const missing = Array.from(rows.ids(slice)).filter((id) => !found.has(id));
  return changed + rows.drop(slice, missing);
}

/** Reads rows by their ids, and drops those that no longer exist. Returns how many are new, different or dropped. */
async function readAgain({ reader, rows }: Settling, slice: Slice, ids: readonly number[]): Promise<number> {
  let changed = 0;
  for (let start = 0; start < ids.length; start += idsPerRequest) {
    const asked = ids.slice(start, start + idsPerRequest);
    const found = await reader.byIds(slice, asked);
    const known = new Set(found.map(({ id }) => id));
    changed += await rows.put(slice, found);
    changed += rows.drop(
      slice,
      asked.filter((id) => !known.has(id)),
    );
  }
  return changed;
}
