import type { Row } from './rows.ts';
import type { Attribute, Schema } from './schema.ts';

/** Attributes to populate, and what to populate in each: `{ author: { team: {} } }`. */
export interface Populate {
  [attribute: string]: Populate;
}

/** The parts of a query that decide what is served of each entry. */
export interface Served {
  type: string;
  fields?: string[];
  populate?: Populate;
}

type Shaper = (row: Row) => object;

/**
 * Makes the function that gives what is served of a row. A `stored` row comes from SQLite: booleans are 0 and 1, and
 * JSON, components and zones are text. Relations that are populated have to be rows already, in both cases.
 */
export function shaper(schema: Schema, { type, fields, populate = {} }: Served, stored = false): Shaper {
  const shapers: Record<string, Shaper> = {};
  const pairs = schema.type(type).attributes.flatMap((attribute) => {
    const { name, kind, many, target } = attribute;
    const key = JSON.stringify(name);
    const value = `row[${key}]`;
    const nested = populate[name];
    if (kind === 'relation') {
      if (!nested) return [];
      shapers[name] = shaper(schema, { type: target!, populate: nested }, stored);
      const shape = `shapers[${key}]`;
      return [many ? `${key}: ${value}.map(${shape})` : `${key}: ${value} === null ? null : ${shape}(${value})`];
    }
    const isAlways = name === 'id' || name === 'documentId';
    const isPart = kind === 'component' || kind === 'zone';
    if (isPart ? !nested : fields && !isAlways && !fields.includes(name)) return [];
    if (isPart && Object.keys(nested).length > 0) throw new Error(`${type}.${name} is populated one level deep only`);
    return [`${key}: ${stored ? readStored(value, attribute) : value}`];
  });
  // one literal, as in rows.ts
  return new Function('shapers', `return (row) => ({ ${pairs.join(', ')} })`)(shapers) as Shaper;
}

function readStored(value: string, { type, kind }: Attribute): string {
  if (type === 'boolean') return `${value} === null ? null : ${value} === 1`;
  return kind === 'scalar' ? value : `${value} === null ? null : JSON.parse(${value})`;
}

interface Page {
  page?: number;
  pageSize?: number;
}

/** The end of a reply, which peers with ready strings write behind the entries: `"meta":{…}`. */
export function envelope({ page = 1, pageSize = 25 }: Page, total: number): string {
  const pagination = { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
  return `"meta":${JSON.stringify({ pagination })}`;
}

/** The reply's bytes. */
export function reply(entries: object[], page: Page, total: number): Buffer {
  return Buffer.from(`{"data":${JSON.stringify(entries)},${envelope(page, total)}}`);
}
