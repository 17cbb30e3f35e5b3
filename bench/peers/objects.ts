import { orderOf, type Test, testOf } from '../compile/javascript.ts';
import type { Row, Rows } from '../content/rows.ts';
import type { Schema } from '../content/schema.ts';
import { reply, shaper } from '../content/shape.ts';
import { type Asked, defaultPageSize, type Find } from '../query.ts';
import type { Answer, Answerer, PeerContent } from './peer.ts';

/** Shared by peers that keep rows as objects: filter all, sort the matches, slice the page, shape, stringify. */

export interface Found {
  rows: Row[];
  total: number;
}

/** Makes a peer of a way to test rows. The order is native. */
export function objectPeer(test: (find: Find, schema: Schema) => Test | null): (content: PeerContent) => Answerer {
  return ({ rows }) =>
    () =>
      replyWith(rows, ({ find }) => search(rows, find, test(find, rows.schema)));
}

/** Without a test every row matches. */
export function search(rows: Rows, find: Find, test = testOf(find, rows.schema)): Found {
  const all = rows.type(find.type);
  const matches = test ? all.filter(test) : all;
  return pageOf(matches, find, test !== null);
}

/** Matches are in the order of their ids. They are sorted in place if they are a copy. */
export function pageOf(matches: Row[], { sort, page = 1, pageSize = defaultPageSize }: Find, isCopy = true): Found {
  const order = orderOf(sort);
  const sorted = order ? (isCopy ? matches : [...matches]).sort(order) : matches;
  return { rows: sorted.slice((page - 1) * pageSize, page * pageSize), total: matches.length };
}

/** Shapes and stringifies what is found. */
export function replyWith({ schema }: Rows, found: (asked: Asked) => Found): Answer {
  const shape = shapers(schema);
  return (asked) => {
    const { rows, total } = found(asked);
    return reply(rows.map(shape(asked.find)), asked.find, total);
  };
}

type Shape = ReturnType<typeof shaper>;

/** Shapers by what is served, each made once. Queries that name neither fields nor relations share one. */
export function shapers(schema: Schema, stored = false): (find: Find) => Shape {
  const known = new Map<string, Shape>();
  return (find) => {
    const { type, fields, populate } = find;
    const key = fields || populate ? JSON.stringify([type, fields, populate]) : type;
    let shape = known.get(key);
    if (!shape) known.set(key, (shape = shaper(schema, find, stored)));
    return shape;
  };
}
