import type Loki from 'lokijs';
import { testOf } from '../compile/javascript.ts';
import { mongoCondition } from '../compile/mongo.ts';
import type { Row } from '../content/rows.ts';
import { packaged } from '../packages.ts';
import { type Comparison, type Condition, comparisonsIn, defaultPageSize, drawSets } from '../query.ts';
import { pageOf, replyWith } from './objects.ts';
import type { Answerer, Peer, PeerContent } from './peer.ts';

/**
 * LokiJS with unique indexes on slugs and binary indexes on all other attributes that the queries compare. It has no
 * joins, so this file joins with sets. Matches are sorted natively.
 */
function open({ rows, queries }: PeerContent): Answerer {
  const { schema } = rows;
  const firstSets = queries.map((query) => drawSets(query, rows, 1)[0]);
  const names = new Set(firstSets.flatMap(({ find }) => comparisonsIn(find.where).map(({ path }) => path.at(-1)!)));
  const database = new (packaged<typeof Loki>('lokijs'))('bench');
  const collections = new Map<string, Collection<Row>>();
  for (const { name, attributes } of schema.types) {
    const indexed = attributes.filter((attribute) => attribute.kind === 'scalar' && names.has(attribute.name));
    const [unique, indices] = [true, false].map((isUnique) =>
      indexed.filter(({ type }) => (type === 'uid') === isUnique).map((attribute) => attribute.name),
    );
    const collection = database.addCollection<Row>(name, { unique, indices });
    collection.insert(rows.type(name));
    collections.set(name, collection);
  }

  /** The rows that refer to a row in a to-many relation, by type and relation. */
  const referrers = new Map<string, Map<Row, Row[]>>();
  for (const { find } of firstSets) {
    for (const { path } of comparisonsIn(find.where)) {
      for (const { type, attribute } of schema.path(find.type, path)) {
        const { name, kind, many } = attribute;
        if (kind === 'relation' && many) referrers.set(`${type}.${name}`, holdersOf(rows.type(type), name));
      }
    }
  }

  /** All rows that satisfy a condition, in any order. */
  function matches(type: string, condition: Condition): Row[] {
    const collection = collections.get(type)!;
    const conjuncts = 'and' in condition ? condition.and : [condition];
    const [first] = conjuncts;
    if (conjuncts.length === 1 && 'path' in first && first.operator === 'eq' && isUnique(collection, first)) {
      const row = collection.by(first.path[0] as keyof Row, first.value as string);
      return row ? [row] : [];
    }
    const toMany = conjuncts.find(
      (each): each is Comparison => 'path' in each && referrers.has(`${type}.${each.path[0]}`),
    );
    if (toMany) {
      const holders = referrers.get(`${type}.${toMany.path[0]}`)!;
      const found = [...new Set(related(type, toMany).flatMap((row) => holders.get(row) ?? []))];
      const others = conjuncts.filter((each) => each !== toMany);
      return others.length > 0 ? found.filter(testOf({ type, where: { and: others } }, schema)!) : found;
    }
    let chain = collection.chain();
    for (const each of conjuncts) {
      if ('path' in each && each.path.length === 1) {
        // of several operators on one attribute LokiJS takes only the first
        const range = each.operator === 'between' ? { [each.path[0]]: { $between: each.value } } : null;
        chain = chain.find(range ?? (mongoCondition({ type, where: each }, schema) as object));
      } else if ('path' in each && isToOne(type, each)) {
        const targets = new Set(related(type, each));
        chain = chain.where((row) => targets.has(row[each.path[0]]));
      } else {
        chain = chain.where(testOf({ type, where: each }, schema)!);
      }
    }
    return chain.data();
  }

  /** The related rows that satisfy the rest of a path. */
  function related(type: string, { path: [name, ...path], operator, value }: Comparison): Row[] {
    return matches(schema.attribute(type, name).target!, { path, operator, value });
  }

  function isToOne(type: string, { path: [name] }: Comparison): boolean {
    const { kind, many } = schema.attribute(type, name);
    return kind === 'relation' && !many;
  }

  return () =>
    replyWith(rows, ({ find }) => {
      const { type, where, search, sort = [], page = 1, pageSize = defaultPageSize } = find;
      const collection = collections.get(type)!;
      const isById = sort.length === 0 || (sort[0].path[0] === 'id' && !sort[0].descending);
      if (!where && !search && isById) {
        const chain = collection.chain().offset((page - 1) * pageSize);
        return { rows: chain.limit(pageSize).data(), total: collection.count() };
      }
      const found = where ? matches(type, where) : collection.chain().data();
      const test = search ? testOf({ type, search }, schema) : null;
      return pageOf(test ? found.filter(test) : found, isById ? { ...find, sort: byId } : find);
    });
}

function holdersOf(rows: Row[], name: string): Map<Row, Row[]> {
  const holders = new Map<Row, Row[]>();
  for (const row of rows) {
    for (const held of row[name] as Row[]) {
      const list = holders.get(held);
      if (list) list.push(row);
      else holders.set(held, [row]);
    }
  }
  return holders;
}

const byId = [{ path: ['id'] }];

function isUnique(collection: Collection<Row>, { path }: Comparison): boolean {
  return path.length === 1 && collection.uniqueNames.includes(path[0] as keyof Row);
}

export const lokijs: Peer = {
  name: 'lokijs',
  title: 'lokijs',
  colour: '#c9601c',
  packages: ['lokijs'],
  open,
};
