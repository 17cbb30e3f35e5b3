/**
 * Estimates the memory of bound queries, for the byte budget of their cache. Estimates err on the high side. They
 * include the projection that reply/projection.ts compiles from the selection.
 */
import { type EntryType, isPolymorphic, type Schema } from '../model/schema/schema.ts';
import type { BoundQuery, Condition, Populated, Selection, SortKey } from './bound.ts';

/** Bytes of an object or list without contents, of a text without characters, and of a reference. */
const objectBytes = 56;
const textBytes = 32;
const referenceBytes = 8;

/** Bytes of an object without prototype, as the query parser returns, and of each property. */
const groupBytes = 224;
const propertyBytes = 72;

/** Bytes of a comparison with its list of operands and the function that casts them. */
const conditionBytes = 480;

const sortKeyBytes = 120;
/** Bytes of the function that ranks populated rows by a sort key. */
const ranksBytes = 240;

/** Bytes of a populated attribute and its projection, and of each type that it leads to. */
const populatedBytes = 480;
const fragmentBytes = 480;
/** Bytes of the name of a field, and of its fragment range. */
const fieldBytes = 40;

/**
 * Bytes of a type in the list of projections of a polymorphic relation. The list is indexed by type number, and it is
 * dense up to about this length.
 */
const typeBytes = 16;
const mostListedTypes = 1600;

/** Returns the bytes of a bound query and its projection. */
export function boundBytes(schema: Schema, { type, filter, sort, selection }: BoundQuery): number {
  const selected = new SelectionSize(schema).of(schema.type(type), selection);
  return objectBytes * 4 + filterBytes(filter) + sortBytes(sort, sortKeyBytes) + selected;
}

/** Returns the bytes of plain data, such as lists, objects and texts. */
export function dataBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    return value.reduce((bytes: number, item) => bytes + referenceBytes + dataBytes(item), objectBytes);
  }
  return Object.entries(value).reduce(
    (bytes, [key, item]) => bytes + propertyBytes + 2 * key.length + dataBytes(item),
    groupBytes,
  );
}

function filterBytes(condition: Condition | null): number {
  if (condition === null) return 0;
  switch (condition.kind) {
    case 'value':
      return conditionBytes + dataBytes(condition.operands);
    case 'related':
    case 'not':
      return 2 * objectBytes + filterBytes(condition.condition);
    case 'all':
    case 'any':
      return condition.conditions.reduce((bytes, part) => bytes + referenceBytes + filterBytes(part), 2 * objectBytes);
    default:
      return condition satisfies never;
  }
}

function sortBytes(sort: readonly SortKey[], perKey: number): number {
  return sort.reduce((bytes, { path }) => bytes + perKey + path.length * referenceBytes, 0);
}

class SelectionSize {
  readonly #schema: Schema;
  readonly #listBytes: number;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.#listBytes = Math.min(schema.types.size, mostListedTypes) * typeBytes;
  }

  of(type: EntryType, { fields, populate }: Selection): number {
    const own = 2 * objectBytes + (fields?.length ?? 0) * fieldBytes;
    return populate.reduce((bytes, populated) => bytes + this.#populated(type, populated), own);
  }

  #populated(type: EntryType, { attribute, sort, targets }: Populated): number {
    const own = populatedBytes + sortBytes(sort ?? [], sortKeyBytes + ranksBytes);
    const list = isPolymorphic(type.attributes.get(attribute)!) ? this.#listBytes : 0;
    return Object.entries(targets).reduce((bytes, [uid, selection]) => {
      return bytes + fragmentBytes + filterBytes(selection.filter) + this.of(this.#schema.type(uid), selection);
    }, own + list);
  }
}
