import { type Problems, preview } from '../../core/problems.ts';
import {
  isAdministration,
  isLocalizations,
  isPolymorphic,
  isRelation,
  isScalar,
  type LinkAttribute,
  type Schema,
} from '../../model/schema/schema.ts';
import type { AdjacencyBuilder } from '../../store/writer/links/adjacency-builder.ts';

/** One end of a link: the row id, the attribute if this end has one, and the position in it. */
export interface LinkEnd {
  readonly type: string;
  readonly ref: number;
  readonly field?: string | null;
  readonly pos?: number | null;
}

export function isLinkEnd(end: unknown): end is LinkEnd {
  return typeof (end as Partial<LinkEnd> | null | undefined)?.type === 'string';
}

/** Takes the links that a LinkReader finds. A StoreBuilder is one. It knows all rows. */
export interface LinkSink {
  readonly schema: Schema;
  /** The number of a type in `add`. */
  numberOf(uid: string): number;
  /** The rows of a type. The ordinal of a row names it in `add`. */
  rows(uid: string): { ordinalOf(id: number): number | undefined };
  links(uid: string, attribute: string): Pick<AdjacencyBuilder, 'add'>;
}

/** Passes the links of an export to a sink. */
export class LinkReader {
  readonly #sink: LinkSink;
  readonly #schema: Schema;
  readonly #problems: Problems;
  readonly #linksLocalizations: boolean;
  /** What the sink returned for each attribute: an attribute belongs to one type. */
  readonly #links = new Map<LinkAttribute, ReturnType<LinkSink['links']>>();

  /** With `linksLocalizations`, links of `localizations` are read like others. Otherwise they are ignored. */
  constructor(sink: LinkSink, problems: Problems, linksLocalizations: boolean) {
    this.#sink = sink;
    this.#schema = sink.schema;
    this.#problems = problems;
    this.#linksLocalizations = linksLocalizations;
  }

  /** Adds the link between two ends, as the export has them on its left and right. */
  add(left: LinkEnd, right: LinkEnd, location: string): void {
    const invalidPosition = [left.pos, right.pos].find((pos) => !isPosition(pos));
    if (invalidPosition !== undefined) {
      return this.#problems.add(location, `"pos" must be a number, not ${preview(invalidPosition)}`);
    }
    // exports write media links from the side of the file, although the entry owns them
    const isMedia = this.#attributeOf(right)?.kind === 'media';
    const [source, target] = isMedia ? [right, left] : [left, right];
    const attribute = this.#attributeBetween(source, target, location);
    if (!attribute) return;
    const ordinals = this.#ordinalsOf(source, target, location);
    if (!ordinals) return;
    const order = (isMedia || isPolymorphic(attribute) ? right.pos : left.pos) ?? null;
    // without an inverse attribute, nothing lists the sources of a target
    const inverseOrder = isRelation(attribute) && attribute.inverse === null ? 0 : (right.pos ?? null);
    // a link of a polymorphic list stores the attribute of its inverse side
    const inverse = attribute.kind === 'polymorphic' && attribute.many ? (right.field ?? '') : undefined;
    const [from, to] = ordinals;
    let links = this.#links.get(attribute);
    if (!links) this.#links.set(attribute, (links = this.#sink.links(source.type, attribute.name)));
    links.add(from, this.#sink.numberOf(target.type), to, order, inverseOrder, inverse);
  }

  /** Returns the attribute of an end, or null if the end has none whose links are stored. */
  #attributeOf({ type, field }: LinkEnd): LinkAttribute | null {
    const attribute = field ? this.#schema.types.get(type)?.attributes.get(field) : undefined;
    if (!attribute || isScalar(attribute)) return null;
    const isStored = isLocalizations(attribute)
      ? this.#linksLocalizations && !attribute.private
      : this.#schema.storesLinks(attribute);
    return isStored ? attribute : null;
  }

  /** Returns the attribute that owns the link. Returns null for a link that is left out, and reports a foreign one. */
  #attributeBetween(source: LinkEnd, target: LinkEnd, location: string): LinkAttribute | null {
    if (isAdministration(source.type) || isAdministration(target.type)) return null;
    const attribute = this.#attributeOf(source);
    if (!attribute) {
      if (this.#schema.types.get(source.type)?.attributes.has(source.field ?? '')) return null;
      const message = () => `${source.type} has no attribute ${preview(source.field)}`;
      this.#problems.tolerate('foreign-link', location, message);
      return null;
    }
    // entries contain their components; early versions of Strapi 5 write redundant links for them
    if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') return null;
    if (isPolymorphic(attribute) || attribute.target === target.type) return attribute;
    const message = () => `${source.type}.${source.field} targets ${attribute.target}, not ${target.type}`;
    this.#problems.tolerate('foreign-link', location, message);
    return null;
  }

  /** Returns the load ordinals of both rows. Returns null if a row is missing, and reports a missing entry. */
  #ordinalsOf(source: LinkEnd, target: LinkEnd, location: string): [source: number, target: number] | null {
    const from = this.#ordinalOf(source);
    // components in private attributes are not loaded, and neither are their links
    if (from === undefined && this.#schema.type(source.type).kind === 'component') return null;
    const to = this.#ordinalOf(target);
    if (from !== undefined && to !== undefined) return [from, to];
    if (from === undefined) {
      const at = `${location}, ${target.type} ${target.ref}`;
      const message = () => `${source.type} ${source.ref}, whose attribute ${source.field} links to it, does not exist`;
      this.#problems.tolerate('dangling-link', at, message);
    } else {
      const at = `${location}, ${source.type} ${source.ref}, attribute ${source.field}`;
      this.#problems.tolerate('dangling-link', at, () => `no ${target.type} with id ${preview(target.ref)}`);
    }
    return null;
  }

  #ordinalOf({ type, ref }: LinkEnd): number | undefined {
    return this.#schema.types.has(type) ? this.#sink.rows(type).ordinalOf(ref) : undefined;
  }
}

/** Whether `pos` of a link is a number or missing. */
function isPosition(pos: unknown): boolean {
  return pos === undefined || pos === null || Number.isFinite(pos);
}
