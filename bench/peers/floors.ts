import type { Row, Rows } from '../content/rows.ts';
import { envelope } from '../content/shape.ts';
import type { Asked, Find } from '../query.ts';
import { replyWith, search, shapers } from './objects.ts';
import type { Answer, Answerer, Peer } from './peer.ts';

/** The part of answering a query that remains if the rows of each answer are known in advance. */

export const stringifyFloor: Peer = {
  name: 'floor-stringify',
  title: 'floor: known rows, stringified',
  colour: '#8b8b8b',
  open: ({ rows }) =>
    known(
      ({ find }) => search(rows, find),
      (found) => replyWith(rows, found),
    ),
};

export const joinedFloor: Peer = {
  name: 'floor-joined',
  title: 'floor: known ready strings, joined',
  colour: '#b5b5b5',
  open: ({ rows }) => {
    const ready = readyStrings(rows);
    const look = ({ find }: Asked) => {
      const found = search(rows, find);
      return { entries: found.rows.map(ready(find)), total: found.total };
    };
    return known(look, (found) => (asked) => {
      const { entries, total } = found(asked);
      return joined(entries, asked.find, total);
    });
  },
};

/** Declines queries that are never repeated, of which nothing can be known in advance. */
function known<Found>(look: (asked: Asked) => Found, answer: (found: (asked: Asked) => Found) => Answer): Answerer {
  return ({ newForms }, sets) => {
    if (newForms) return null;
    const found = new Map(sets.map((asked) => [asked, look(asked)]));
    return answer((asked) => found.get(asked)!);
  };
}

/** Gives the JSON text of a row. Each text is made once and kept. */
export function readyStrings({ schema }: Rows): (find: Find) => (row: Row) => string {
  const shapeOf = shapers(schema);
  const texts = new Map<object, Map<Row, string>>();
  return (find) => {
    const shape = shapeOf(find);
    if (!texts.has(shape)) texts.set(shape, new Map());
    const ofShape = texts.get(shape)!;
    return (row) => {
      if (!ofShape.has(row)) ofShape.set(row, JSON.stringify(shape(row)));
      return ofShape.get(row)!;
    };
  };
}

export function joined(entries: string[], find: Find, total: number): Buffer {
  return Buffer.from(`{"data":[${entries.join()}],${envelope(find, total)}}`);
}
