import { isPlainObject } from '../../../core/plain-object.ts';
import { isLinkEnd, type LinkEnd } from '../../../load/strapi/link-reader.ts';
import type { StrapiContent } from '../../../load/strapi/strapi-content.ts';
import { isPolymorphic, isScalar, type LinkAttribute, type Schema } from '../../../model/schema/schema.ts';
import { sidesOf } from './fetched-rows.ts';
import { addressKey, KnownRows, stateOf } from './known-rows.ts';
import type { ListedTarget, OwnList, RowAddress } from './source-row.ts';

/**
 * Returns the rows of pulled content, which a load of the same content serves. Lists are in the order in which the load
 * places links.
 */
export async function readKnownRows(content: Pick<StrapiContent, 'each'>, schema: Schema): Promise<KnownRows> {
  const links = new LinkLists(schema);
  await content.each('links', ({ left, right }) => {
    if (isLinkEnd(left) && isLinkEnd(right)) links.add(left, right);
  });
  links.sort();
  const known = new KnownRows();
  await content.each('entities', ({ type: uid, id, data }) => {
    const type = schema.types.get(uid as string);
    if (!type || typeof id !== 'number' || !isPlainObject(data)) return;
    const address = { type: type.uid, id };
    known.set(
      stateOf({
        ...address,
        documentId: typeof data.documentId === 'string' ? data.documentId : null,
        published: !type.draftAndPublish || (data.publishedAt ?? null) !== null,
        data,
        lists: [address, ...componentsIn(schema, type.uid, data)].flatMap((each) => links.listsOf(each)),
        sources: links.sourcesOf(address),
      }),
    );
  });
  return known;
}

/** Returns the components in the data of an entry or a component, at any depth. */
export function componentsIn(schema: Schema, uid: string, data: Readonly<Record<string, unknown>>): RowAddress[] {
  const found: RowAddress[] = [];
  for (const attribute of schema.types.get(uid)?.attributes.values() ?? []) {
    if (attribute.kind !== 'component' && attribute.kind !== 'dynamiczone') continue;
    const value = data[attribute.name];
    for (const part of Array.isArray(value) ? value : [value]) {
      if (!isPlainObject(part) || typeof part.id !== 'number') continue;
      const type = attribute.kind === 'component' ? attribute.target : String(part.__component);
      found.push({ type, id: part.id }, ...componentsIn(schema, type, part));
    }
  }
  return found;
}

/** An end of a link, with what it is sorted by among the ends of the same list. */
interface Placed<T> {
  readonly end: T;
  readonly position: number;
  readonly id: number;
}

/** Collects links into the lists of both sides. */
class LinkLists {
  readonly #schema: Schema;
  /** By row and owning attribute. */
  readonly #targets = new Map<string, Map<string, Placed<ListedTarget>[]>>();
  /** By row and inverse attribute. */
  readonly #sources = new Map<string, Map<string, Placed<number>[]>>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** Takes the ends of a link as `LinkReader` does. */
  add(left: LinkEnd, right: LinkEnd): void {
    const isMedia = this.#attributeOf(right)?.kind === 'media';
    const [source, target] = isMedia ? [right, left] : [left, right];
    const attribute = this.#attributeOf(source);
    if (!attribute) return;
    const isMany = attribute.kind === 'polymorphic' && attribute.many;
    const isShown = this.#schema.types.get(target.type)?.attributes.has(target.field ?? '');
    const inverse = isShown ? target.field! : '';
    const end = { type: target.type, id: target.ref, ...(isMany && { inverse }) };
    const position = (isMedia || isPolymorphic(attribute) ? right.pos : left.pos) ?? 0;
    placed(this.#targets, addressOf(source), attribute.name, { end, position, id: target.ref });
    const sides = sidesOf(this.#schema, source.type, attribute.name);
    if (!sides) return;
    placed(this.#sources, end, sides.inverse, { end: source.ref, position: right.pos ?? 0, id: source.ref });
  }

  /** To be called after the last link, before reading. */
  sort(): void {
    for (const side of [this.#targets, this.#sources]) {
      for (const lists of side.values()) for (const list of lists.values()) list.sort(byPosition);
    }
  }

  listsOf(address: RowAddress): OwnList[] {
    const lists = this.#targets.get(addressKey(address)) ?? new Map<string, Placed<ListedTarget>[]>();
    return Array.from(lists, ([attribute, list]) => ({ ...address, attribute, targets: list.map(({ end }) => end) }));
  }

  sourcesOf(address: RowAddress): Map<string, number[]> {
    const lists = this.#sources.get(addressKey(address)) ?? new Map<string, Placed<number>[]>();
    return new Map(Array.from(lists, ([attribute, list]) => [attribute, list.map(({ end }) => end)]));
  }

  #attributeOf({ type, field }: LinkEnd): LinkAttribute | null {
    const attribute = field ? this.#schema.types.get(type)?.attributes.get(field) : undefined;
    return attribute && !isScalar(attribute) && this.#schema.storesLinks(attribute) ? attribute : null;
  }
}

function addressOf({ type, ref }: LinkEnd): RowAddress {
  return { type, id: ref };
}

function placed<T>(
  side: Map<string, Map<string, Placed<T>[]>>,
  address: RowAddress,
  attribute: string,
  one: Placed<T>,
): void {
  const key = addressKey(address);
  let lists = side.get(key);
  if (!lists) side.set(key, (lists = new Map()));
  const list = lists.get(attribute);
  if (list) list.push(one);
  else lists.set(attribute, [one]);
}

function byPosition(one: Placed<unknown>, other: Placed<unknown>): number {
  return one.position - other.position || one.id - other.id;
}
