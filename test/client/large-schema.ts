import type { JsonSnapshot } from '../../src/index.ts';

/** Returns a snapshot of so many types, each with ten scalars and five relations to others and to itself. */
export function largeSchema(count: number): JsonSnapshot {
  const uid = (i: number) => `api::${nameOf(i, count)}.${nameOf(i, count)}`;
  const relation = (kind: string, target: number) => ({ type: 'relation', relation: kind, target: uid(target) });
  const contentTypes = Array.from({ length: count }, (_, i) => ({
    uid: uid(i),
    kind: 'collectionType' as const,
    info: { singularName: nameOf(i, count), pluralName: `${nameOf(i, count)}s` },
    options: { draftAndPublish: i % 2 === 0 },
    attributes: {
      title: { type: 'string', required: true },
      slug: { type: 'uid' },
      body: { type: 'richtext' },
      day: { type: 'date' },
      at: { type: 'datetime' },
      count: { type: 'integer' },
      rate: { type: 'float' },
      flag: { type: 'boolean' },
      kind: { type: 'enumeration', enum: ['a', 'b', 'c'] },
      data: { type: 'json' },
      one: relation('manyToOne', i + 1),
      two: relation('manyToOne', i + 7),
      many: relation('manyToMany', i + 3),
      others: relation('manyToMany', i + 11),
      self: relation('oneToOne', i),
    },
  }));
  return { contentTypes, entries: {} };
}

function nameOf(i: number, count: number): string {
  return `type${i % count}`;
}

/** Returns a file with one query for each type, whose filters and relations are five levels deep. */
export function nestedQueries(count: number): string {
  const lines = ["import { createClient } from 'lectern/client';", "import type { Schema } from './schema.ts';"];
  lines.push("const client = createClient<Schema>({ url: 'http://127.0.0.1/api' });");
  for (let i = 0; i < count; i++) {
    lines.push(`export async function query${i}(): Promise<string> {
  const { data } = await client.find('${nameOf(i, count)}s', {
    filters: { one: { many: { two: { others: { one: { title: { $contains: 'x' }, count: { $gt: ${i} } } } } } } },
    populate: { one: { populate: { many: { populate: { two: { populate: { others: { populate: { self: { fields: ['title'] } } } } } } } } } },
    sort: 'title',
  });
  return data[0]!.one!.many[0]!.two!.others[0]!.self!.title;
}`);
  }
  return lines.join('\n');
}
