/** Segments without a snapshot, for tests of plans. */
import { CostBudget } from '../../src/core/cost-budget.ts';
import { BitSet } from '../../src/core/sets/bit-set.ts';
import { iota } from '../../src/core/sets/row-set.ts';
import type { ScalarType } from '../../src/model/schema/schema.ts';
import type { FindVisible, RequestView } from '../../src/query/plan/request-view.ts';
import { PrefixCounts } from '../../src/query/visible/prefix-counts.ts';
import { SearchIndexes } from '../../src/query/visible/search-indexes.ts';
import { VisibleSet } from '../../src/query/visible/visible-set.ts';
import type { Collection } from '../../src/store/collection.ts';
import type { Column } from '../../src/store/columns/column.ts';
import { adjacencyFromPairs } from '../../src/store/links/adjacency.ts';
import { Segment } from '../../src/store/segment.ts';
import { columnBuilder } from '../../src/store/writer/columns/column-builder.ts';

export interface Content {
  readonly rowCount: number;
  /** The value of each row; undefined is null. */
  readonly columns: Record<string, { type: ScalarType; values: readonly (string | number | undefined)[] }>;
  /** The linked rows of each row. */
  readonly links: Record<string, { target: string; rows: readonly (readonly number[])[] }>;
}

/** Builds segments, by uid. */
export function segmentsOf(contents: Record<string, Content>): Map<string, Segment> {
  const segments = new Map<string, Segment>();
  for (const [uid, { rowCount, columns, links }] of Object.entries(contents)) {
    const attributes = new Map<string, object>();
    for (const [name, { type }] of Object.entries(columns)) attributes.set(name, { kind: 'scalar', name, type });
    for (const [name, { target }] of Object.entries(links)) attributes.set(name, { kind: 'relation', name, target });
    const collection = {
      type: { uid, attributes },
      number: segments.size,
      rowCount,
      columns: mapOf(columns, ({ type, values }) => columnOf(type, values)),
      comparedTexts: new Map(),
      links: mapOf(links, ({ target, rows }) => {
        const sources = Uint32Array.from(rows.flatMap((targets, row) => targets.map(() => row)));
        const targets = Uint32Array.from(rows.flat());
        return {
          forward: adjacencyFromPairs(sources, targets, rowCount),
          reverse: adjacencyFromPairs(targets, sources, contents[target].rowCount),
        };
      }),
      allRows: BitSet.full(rowCount),
    };
    segments.set(uid, new Segment(collection as unknown as Collection));
  }
  return segments;
}

export function columnOf(type: ScalarType, values: readonly (string | number | undefined)[]): Column {
  const builder = columnBuilder(type);
  for (const value of values) builder.push(value);
  return builder.finish(iota(values.length));
}

/** A view of segments. All rows are reachable, unless `reachable` names those that are. */
export function viewOf(
  segments: ReadonlyMap<string, Segment>,
  {
    steps = Number.POSITIVE_INFINITY,
    reachable = () => null,
  }: { steps?: number; reachable?: RequestView['reachable'] } = {},
): RequestView {
  const byUid = new Map(Array.from(segments, ([uid, { collection }]) => [uid, collection]));
  const store = { byUid, segments: [...segments.values()] };
  return {
    store,
    cacheKeyPart: 'test',
    query: { status: null, publication: null },
    reachable,
    joinedValues: () => null,
    searches: new SearchIndexes(0),
    budget: new CostBudget(steps),
  } as unknown as RequestView;
}

export const everyStatus = { status: null, locale: null, publication: null } as const;

/** Every row is visible. */
export const findAll: FindVisible = ({ collection: { allRows, rowCount } }) =>
  new VisibleSet(allRows, rowCount, new PrefixCounts(allRows, () => {}));

function mapOf<From, To>(values: Record<string, From>, convert: (value: From) => To): Map<string, To> {
  return new Map(Object.entries(values).map(([name, value]) => [name, convert(value)]));
}
