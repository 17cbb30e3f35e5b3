import { isPlainObject } from '../../../../src/core/plain-object.ts';
import { inverseSidesOf } from '../../../../src/follow/rest/follow/fetched-rows.ts';
import type { KnownRow } from '../../../../src/follow/rest/follow/known-rows.ts';
import { componentsIn, readKnownRows } from '../../../../src/follow/rest/follow/read-known-rows.ts';
import type { RowRequests } from '../../../../src/follow/rest/follow/refresh.ts';
import type { OwnList, SourceRow } from '../../../../src/follow/rest/follow/source-row.ts';
import type { Schema } from '../../../../src/model/schema/schema.ts';
import type { SimulatedStrapi } from './simulated-strapi.ts';

/** Requests to a simulated Strapi. `meanwhile` is called before each. */
export class SimulatedRequests implements RowRequests {
  readonly #strapi: SimulatedStrapi;
  readonly #schema: Schema;
  readonly #meanwhile: () => void;
  count = 0;

  constructor(strapi: SimulatedStrapi, schema: Schema, meanwhile: () => void = () => {}) {
    this.#strapi = strapi;
    this.#schema = schema;
    this.#meanwhile = meanwhile;
  }

  isReadable(): boolean {
    return true;
  }

  documents(type: string, documentIds: readonly string[]): Promise<SourceRow[]> {
    return this.#rows(type, ({ documentId }) => documentIds.includes(documentId!));
  }

  rows(type: string, ids: readonly number[]): Promise<SourceRow[]> {
    return this.#rows(type, ({ id }) => ids.includes(id));
  }

  all(type: string): Promise<SourceRow[]> {
    return this.#rows(type, () => true);
  }

  async #rows(type: string, isWanted: (row: KnownRow) => boolean): Promise<SourceRow[]> {
    this.count++;
    this.#meanwhile();
    const { content } = this.#strapi;
    const data = new Map<number, Record<string, unknown>>();
    await content.each('entities', (line) => {
      if (line.type === type && isPlainObject(line.data)) data.set(line.id as number, line.data);
    });
    const known = await readKnownRows(content, this.#schema);
    const rows = Array.from(known.ofType(type)).filter(isWanted);
    return rows.map((row) => this.#complete(row, data.get(row.id)!));
  }

  /** Adds empty lists, as replies have them. */
  #complete(row: KnownRow, data: Record<string, unknown>): SourceRow {
    const owners = [{ type: row.type, id: row.id }, ...componentsIn(this.#schema, row.type, data)];
    const lists = owners.flatMap(({ type, id }) =>
      Array.from(this.#schema.type(type).attributes.values()).flatMap((attribute): OwnList[] => {
        if (attribute.kind !== 'relation' || !attribute.owner || attribute.private) return [];
        const list = row.lists.find((one) => one.type === type && one.id === id && one.attribute === attribute.name);
        return [list ?? { type, id, attribute: attribute.name, targets: [] }];
      }),
    );
    const inverse = inverseSidesOf(this.#schema, row.type).map(({ inverse }) => inverse);
    const sources = new Map(inverse.map((name) => [name, row.sources.get(name) ?? []]));
    const { type, id, documentId, published } = row;
    return { type, id, documentId, published, data, lists, sources };
  }
}
