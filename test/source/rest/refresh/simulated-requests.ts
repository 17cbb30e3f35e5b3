import { isPlainObject } from '../../../../src/core/plain-object.ts';
import type { RowRequests } from '../../../../src/follow/rest/refresh/refresh.ts';
import { inverseSidesOf } from '../../../../src/follow/rest/refresh/relation-sides.ts';
import type { OwnList, RowAddress, SourceRow } from '../../../../src/follow/rest/refresh/source-row.ts';
import { isLinkEnd, type LinkEnd } from '../../../../src/load/strapi/link-reader.ts';
import { isScalar, type Schema } from '../../../../src/model/schema/schema.ts';
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

  async #rows(uid: string, isWanted: (row: SourceRow) => boolean): Promise<SourceRow[]> {
    this.count++;
    this.#meanwhile();
    const rows = await shownRows(this.#strapi, this.#schema);
    return rows.filter((row) => row.type === uid && isWanted(row));
  }
}

/** Returns all rows as replies show them: with lists for all relations of a row and its components, also empty ones. */
export async function shownRows({ content }: SimulatedStrapi, schema: Schema): Promise<SourceRow[]> {
  const links: { readonly left: LinkEnd; readonly right: LinkEnd }[] = [];
  await content.each('links', ({ left, right }) => {
    if (isLinkEnd(left) && isLinkEnd(right)) links.push({ left, right });
  });
  const listOf = ({ type, id }: RowAddress, attribute: string): OwnList => {
    const found = links.filter(({ left }) => left.type === type && left.ref === id && left.field === attribute);
    const targets = inOrder(
      found.map(({ left, right }) => ({ type: right.type, id: right.ref, place: left.pos ?? 0 })),
    );
    return { type, id, attribute, targets: targets.map((target) => ({ type: target.type, id: target.id })) };
  };
  const sourcesOf = ({ type, id }: RowAddress, owner: string, attribute: string): number[] => {
    const found = links.filter(({ left, right }) => {
      return left.type === owner && left.field === attribute && right.type === type && right.ref === id;
    });
    return inOrder(found.map(({ left, right }) => ({ id: left.ref, place: right.pos ?? 0 }))).map(({ id }) => id);
  };
  const rows: SourceRow[] = [];
  await content.each('entities', ({ type: uid, id, data }) => {
    const type = schema.types.get(uid as string);
    if (!type || typeof id !== 'number' || !isPlainObject(data)) return;
    const address = { type: type.uid, id };
    const lists = [address, ...componentsIn(schema, type.uid, data)].flatMap((owner) =>
      Array.from(schema.type(owner.type).attributes.values()).flatMap((attribute) => {
        if (isScalar(attribute) || attribute.kind !== 'relation' || !attribute.owner || attribute.private) return [];
        return [listOf(owner, attribute.name)];
      }),
    );
    const sides = inverseSidesOf(schema, type.uid);
    rows.push({
      ...address,
      documentId: typeof data.documentId === 'string' ? data.documentId : null,
      published: !type.draftAndPublish || (data.publishedAt ?? null) !== null,
      data,
      lists,
      sources: new Map(sides.map(({ owner, attribute, inverse }) => [inverse, sourcesOf(address, owner, attribute)])),
    });
  });
  return rows;
}

function inOrder<T extends { readonly id: number; readonly place: number }>(items: T[]): T[] {
  return items.sort((one, other) => one.place - other.place || one.id - other.id);
}

/** Returns the components in the data of an entry or a component, at any depth. */
function componentsIn(schema: Schema, uid: string, data: Readonly<Record<string, unknown>>): RowAddress[] {
  return Array.from(schema.type(uid).attributes.values()).flatMap((attribute) => {
    if (attribute.kind !== 'component') return [];
    const parts = [data[attribute.name] ?? []].flat().filter(isPlainObject);
    const type = attribute.target;
    return parts.flatMap((part) => [{ type, id: part.id as number }, ...componentsIn(schema, type, part)]);
  });
}
