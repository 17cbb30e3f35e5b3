import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type Attribute, Schema, type Type } from './schema.ts';

/** An entry with the values that are served. Relations hold other rows: one, null or a list. */
// biome-ignore lint/suspicious/noExplicitAny: the schema says what the attributes hold
export type Row = Record<string, any> & { id: number; documentId: string };

/** What every peer is given: of each document the row that is served by default, and its relations as objects. */
export class Rows {
  readonly schema: Schema;
  readonly #rows = new Map<string, Row[]>();

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** In ascending order of id. */
  type(name: string): Row[] {
    return this.#rows.get(this.schema.type(name).name) ?? [];
  }

  add(name: string, rows: Row[]): void {
    this.#rows.set(name, rows);
  }
}

/** Published rows in the default locale. */
export function readRows(snapshot: string): Rows {
  const rows = new Rows(new Schema(snapshot));
  const { defaultLocale } = JSON.parse(readFileSync(join(snapshot, 'snapshot.json'), 'utf8'));
  for (const type of rows.schema.types) {
    const path = join(snapshot, 'entries', `${type.name}.json`);
    const rowOf = rowMaker(rows.schema, type);
    const found: Row[] = [];
    for (const entry of existsSync(path) ? readEntries(path) : []) {
      const { status = 'published', locale = defaultLocale } = entry;
      if (status === 'published' && locale === defaultLocale) found.push(rowOf(entry));
    }
    rows.add(
      type.name,
      found.sort((one, other) => one.id - other.id),
    );
  }
  link(rows);
  return rows;
}

type Written = Record<string, unknown>;

/**
 * Makes rows of a type from entries. Each type gets one object literal, made from source text: V8 reads objects that
 * are put together attribute by attribute more slowly, and the peers that keep rows as objects would pay for it.
 */
function rowMaker(schema: Schema, type: Type): (entry: Written) => Row {
  const servedComponents = (attribute: Attribute) => {
    const one = (value: Written) => servedComponent(schema, attribute, value);
    return (value: unknown) => (attribute.many ? (value as Written[]).map(one) : one(value as Written));
  };
  const components: Record<string, (value: unknown) => unknown> = {};
  const values = type.attributes.map((attribute) => {
    const { name, kind, many, owner } = attribute;
    const empty = many ? '[]' : 'null';
    const value = `entry[${JSON.stringify(name)}]`;
    if (!owner) return empty;
    if (attribute.type === 'biginteger' || attribute.type === 'timestamp')
      return `${value} == null ? null : String(${value})`;
    if (kind !== 'component' && kind !== 'zone') return `${value} ?? ${empty}`;
    components[name] = servedComponents(attribute);
    return `${value} == null ? ${empty} : components[${JSON.stringify(name)}](${value})`;
  });
  const pairs = type.attributes.map(({ name }, index) => `${JSON.stringify(name)}: ${values[index]}`);
  const make = new Function('entry', 'components', `return { ${pairs.join(', ')} }`);
  return (entry) => make(entry, components);
}

/** A component as it is served when it is populated, without what would have to be populated in it. */
function servedComponent(schema: Schema, { kind, target }: Attribute, value: Written): Written {
  const uid = kind === 'zone' ? (value.__component as string) : target!;
  const served: Written = kind === 'zone' ? { __component: uid } : {};
  for (const attribute of schema.type(uid).attributes) {
    const isServed = attribute.kind === 'scalar' || attribute.kind === 'json';
    if (isServed) served[attribute.name] = value[attribute.name] ?? null;
  }
  return served;
}

/** Replaces the documentIds in relations by rows, and fills the other sides. */
function link(rows: Rows): void {
  for (const type of rows.schema.types) {
    for (const { name, kind, owner, many, target, inverse } of type.attributes) {
      if (kind !== 'relation' || !owner) continue;
      const targets = new Map(rows.type(target!).map((row) => [row.documentId, row]));
      const isInverseMany = inverse !== undefined && rows.schema.attribute(target!, inverse).many;
      for (const row of rows.type(type.name)) {
        const found = ([row[name] ?? []].flat() as string[]).flatMap((documentId) => targets.get(documentId) ?? []);
        row[name] = many ? found : (found[0] ?? null);
        if (inverse === undefined) continue;
        for (const other of found) {
          if (isInverseMany) other[inverse].push(row);
          else other[inverse] = row;
        }
      }
    }
  }
}

/** Reads one entry a line, as the generators write them: a file may be longer than the longest string. */
export function* readEntries(path: string): Generator<Written> {
  for (const line of readLines(path)) {
    const text = line.endsWith(',') ? line.slice(0, -1) : line;
    if (text.startsWith('{')) yield JSON.parse(text) as Written;
  }
}

function* readLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(1 << 20);
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let length = 0; (length = readSync(file, chunk)) > 0; ) {
      const lines = (rest + decoder.decode(chunk.subarray(0, length), { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    yield rest;
  } finally {
    closeSync(file);
  }
}
