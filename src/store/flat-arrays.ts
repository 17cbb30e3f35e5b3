/**
 * The flat arrays that a store consists of, by name: `api::article.article/columns/title/codes`. A structure adds its
 * arrays to an ArrayList, and is constructed again from an ArrayTable without work that grows with the arrays.
 */

export type FlatArray = Uint8Array | Uint16Array | Uint32Array | Float64Array | BigInt64Array;

const kinds = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  float64: Float64Array,
  bigint64: BigInt64Array,
};

export type ArrayKind = keyof typeof kinds;

export interface ArrayShape {
  readonly kind: ArrayKind;
  readonly length: number;
}

/** Describes the arrays of an ArrayList. It can be written as JSON. */
export interface ArrayManifest {
  readonly shapes: readonly ArrayShape[];
  /** By name, the position of the array. Names share an array where structures do. */
  readonly positions: Readonly<Record<string, number>>;
  /** Single numbers of the structures, by name. */
  readonly numbers: Readonly<Record<string, number>>;
}

export class ArrayList {
  readonly arrays: FlatArray[] = [];
  readonly #positions = new Map<FlatArray, number>();
  readonly #names = new Map<string, number>();
  readonly #numbers = new Map<string, number>();

  add(name: string, array: FlatArray): void {
    if (this.#names.has(name)) throw new Error(`two arrays are named ${name}`);
    let position = this.#positions.get(array);
    if (position === undefined) {
      position = this.arrays.push(array) - 1;
      this.#positions.set(array, position);
    }
    this.#names.set(name, position);
  }

  addNumber(name: string, value: number): void {
    if (this.#numbers.has(name)) throw new Error(`two numbers are named ${name}`);
    this.#numbers.set(name, value);
  }

  get manifest(): ArrayManifest {
    return {
      shapes: this.arrays.map((array) => ({ kind: kindOf(array), length: array.length })),
      positions: Object.fromEntries(this.#names),
      numbers: Object.fromEntries(this.#numbers),
    };
  }
}

function kindOf(array: FlatArray): ArrayKind {
  return (Object.keys(kinds) as ArrayKind[]).find((kind) => array instanceof kinds[kind])!;
}

/** Returns the first name of each array, by position. */
export function arrayNames({ shapes, positions }: ArrayManifest): string[] {
  const names: string[] = new Array(shapes.length);
  for (const [name, position] of Object.entries(positions)) names[position] ??= name;
  return names;
}

/** Returns the array of a kind over a part of a buffer. Null if there is no such kind, or its items do not fit the part. */
export function arrayOver(buffer: ArrayBufferLike, kind: string, offset: number, bytes: number): FlatArray | null {
  const type = Object.hasOwn(kinds, kind) ? kinds[kind as ArrayKind] : null;
  if (!type || bytes % type.BYTES_PER_ELEMENT !== 0) return null;
  // TypeScript's overloads know no union of the two kinds of buffers
  return new type(buffer as ArrayBuffer, offset, bytes / type.BYTES_PER_ELEMENT);
}

export class ArrayTable {
  readonly #arrays: readonly FlatArray[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #numbers: ReadonlyMap<string, number>;

  /** Throws if the arrays are not those that the manifest describes. */
  constructor({ shapes, positions, numbers }: ArrayManifest, arrays: readonly FlatArray[]) {
    if (arrays.length !== shapes.length) {
      throw new Error(`expected ${shapes.length} arrays, as the manifest describes, not ${arrays.length}`);
    }
    for (const [i, { kind, length }] of shapes.entries()) {
      if (arrays[i] instanceof kinds[kind] && arrays[i].length === length) continue;
      throw new Error(
        `array ${i}: expected ${length} items of ${kind}, not ${arrays[i].length} of ${kindOf(arrays[i])}`,
      );
    }
    this.#arrays = arrays;
    this.#positions = new Map(Object.entries(positions));
    this.#numbers = new Map(Object.entries(numbers));
  }

  has(name: string): boolean {
    return this.#positions.has(name);
  }

  bytes(name: string): Buffer {
    const { buffer, byteOffset, length } = this.uint8(name);
    return Buffer.from(buffer, byteOffset, length);
  }

  uint8(name: string): Uint8Array {
    return this.#array(name, 'uint8');
  }

  uint16(name: string): Uint16Array {
    return this.#array(name, 'uint16');
  }

  uint32(name: string): Uint32Array {
    return this.#array(name, 'uint32');
  }

  float64(name: string): Float64Array {
    return this.#array(name, 'float64');
  }

  bigint64(name: string): BigInt64Array {
    return this.#array(name, 'bigint64');
  }

  number(name: string): number {
    const value = this.#numbers.get(name);
    if (value === undefined) throw new Error(`the manifest has no number ${name}`);
    return value;
  }

  #array<Kind extends ArrayKind>(name: string, kind: Kind): InstanceType<(typeof kinds)[Kind]> {
    const position = this.#positions.get(name);
    if (position === undefined) throw new Error(`the manifest has no array ${name}`);
    const array = this.#arrays[position];
    if (!(array instanceof kinds[kind])) throw new Error(`array ${name}: expected ${kind}, not ${kindOf(array)}`);
    return array as InstanceType<(typeof kinds)[Kind]>;
  }
}
