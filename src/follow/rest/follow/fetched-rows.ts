import { isRelation, isScalar, localeType, roleType, type Schema } from '../../../model/schema/schema.ts';
import { addressKey, type KnownRow, type KnownRows } from './known-rows.ts';
import type { OwnList, RowAddress, SourceRow } from './source-row.ts';

/** A row that was requested. Without `row`, the source does not have it any more. */
export interface FetchedRow {
  readonly address: RowAddress;
  readonly row: SourceRow | null;
}

/**
 * The rows of a source before and after a change. Known: the row as the content has it, from before. Fetched: requested
 * again. Latest: fetched, or known if it was not fetched.
 */
export class FetchedRows {
  readonly schema: Schema;
  readonly known: KnownRows;
  readonly #byKey = new Map<string, FetchedRow>();

  constructor(schema: Schema, known: KnownRows) {
    this.schema = schema;
    this.known = known;
  }

  get all(): Iterable<FetchedRow> {
    return this.#byKey.values();
  }

  set(address: RowAddress, row: SourceRow | null): void {
    this.#byKey.set(addressKey(address), { address, row });
  }

  /** Undefined if the row was not requested. */
  get(address: RowAddress): FetchedRow | undefined {
    return this.#byKey.get(addressKey(address));
  }

  /** Returns the latest state of a row, or null if there is none. */
  latest(address: RowAddress): SourceRow | KnownRow | null {
    const fetched = this.get(address);
    return fetched ? fetched.row : (this.known.get(address.type, address.id) ?? null);
  }

  /** Returns the latest state of a row, or the known state of a row that is gone. */
  lastSeen(address: RowAddress): SourceRow | KnownRow | undefined {
    return this.get(address)?.row ?? this.known.get(address.type, address.id);
  }

  /** Returns the targets of an entry in an attribute. */
  targetsOf(source: RowAddress, attribute: string): OwnList['targets'] {
    const lists = this.latest(source)?.lists ?? [];
    return lists.find((list) => list.attribute === attribute && isOf(list, source))?.targets ?? [];
  }

  /** Whether a row links to another one in an attribute. */
  links(source: RowAddress, attribute: string, target: RowAddress): boolean {
    return this.targetsOf(source, attribute).some((one) => isSameRow(one, target));
  }
}

export function isSameRow(one: RowAddress, other: RowAddress): boolean {
  return one.id === other.id && one.type === other.type;
}

/** Whether a list is that of an entry, and not of one of its components. */
export function isOf(list: OwnList, { type, id }: RowAddress): boolean {
  return list.id === id && list.type === type;
}

/** The two sides of a relation that both list their links. */
export interface RelationSides {
  /** The type and attribute that own the links. */
  readonly owner: string;
  readonly attribute: string;
  /** The attribute of the other type. */
  readonly inverse: string;
}

/** Returns the sides of a relation by its owning attribute. Returns null if only one side lists its links. */
export function sidesOf(schema: Schema, owner: string, attribute: string): RelationSides | null {
  const owning = schema.types.get(owner)?.attributes.get(attribute);
  if (!owning || isScalar(owning) || !isRelation(owning) || owning.inverse === null) return null;
  // replies show neither roles nor locales with the rows that link to them
  if (owning.target === roleType || owning.target === localeType) return null;
  const inverse = schema.types.get(owning.target)?.attributes.get(owning.inverse);
  if (!inverse || isScalar(inverse) || inverse.private || (isRelation(inverse) && inverse.unconnected)) return null;
  return { owner, attribute, inverse: owning.inverse };
}

/** Returns the relations whose links a type lists without owning them. */
export function inverseSidesOf(schema: Schema, type: string): RelationSides[] {
  const attributes = schema.types.get(type)?.attributes.values() ?? [];
  return Array.from(attributes).flatMap((attribute) => {
    if (isScalar(attribute) || !isRelation(attribute) || attribute.owner || attribute.inverse === null) return [];
    const sides = sidesOf(schema, attribute.target, attribute.inverse);
    return sides && sides.inverse === attribute.name ? [sides] : [];
  });
}

/**
 * Returns the attribute of a target type that shows the links of a polymorphic list, or an empty string. A link that an
 * editor makes from the other side may not be shown by it, which only the target tells.
 */
export function inverseNameOf(schema: Schema, owner: string, attribute: string, target: string): string {
  for (const inverse of schema.types.get(target)?.attributes.values() ?? []) {
    if (isScalar(inverse) || !isRelation(inverse) || !inverse.fromPolymorphic) continue;
    if (inverse.target === owner && inverse.inverse === attribute) return inverse.name;
  }
  return '';
}
