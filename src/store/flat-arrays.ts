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

export const arrayKinds = Object.keys(kinds) as ArrayKind[];

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
  return arrayKinds.find((kind) => array instanceof kinds[kind])!;
}

/** Returns the first name of each array, by position. */
export function arrayNames({ shapes, positions }: ArrayManifest): string[] {
  const names: string[] = new Array(shapes.length);
  for (const [name, position] of Object.entries(positions)) names[position] ??= name;
  return names;
}

/** Where an array is in a list of buffers. Its shape gives kind and length. */
export interface ArrayView {
  /** Position of the buffer in the list. */
  readonly buffer: number;
  /** In bytes. */
  readonly offset: number;
}

/** Returns the buffers of arrays, each once, and where each array is in them. */
export function viewsOf(arrays: readonly FlatArray[]): { views: ArrayView[]; buffers: ArrayBufferLike[] } {
  const positions = new Map<ArrayBufferLike, number>();
  const views = arrays.map(({ buffer, byteOffset }) => {
    const position = positions.get(buffer) ?? positions.size;
    positions.set(buffer, position);
    return { buffer: position, offset: byteOffset };
  });
  return { views, buffers: [...positions.keys()] };
}

/** Returns the arrays that a manifest describes. Throws an Error that names an array which its buffer does not hold. */
export function arraysOver(
  manifest: ArrayManifest,
  views: readonly ArrayView[],
  buffers: readonly ArrayBufferLike[],
): FlatArray[] {
  return manifest.shapes.map((shape, i) => {
    const { buffer, offset } = views[i] ?? { buffer: -1, offset: 0 };
    const memory = buffers[buffer];
    const bytes = bytesOf(shape);
    if (!memory) throw new Error(`array ${arrayNames(manifest)[i]}: there is no buffer for its ${bytes} bytes`);
    const kind = kinds[shape.kind];
    if (offset % kind.BYTES_PER_ELEMENT > 0 || offset + bytes > memory.byteLength) {
      const expected = `expected ${shape.length} items of ${shape.kind} at byte ${offset}`;
      throw new Error(`array ${arrayNames(manifest)[i]}: ${expected} of a buffer of ${memory.byteLength} bytes`);
    }
    // TypeScript's overloads know no union of the two kinds of buffers
    return new kind(memory as ArrayBuffer, offset, shape.length);
  });
}

/** Returns the number of bytes of an array. */
export function bytesOf({ kind, length }: ArrayShape): number {
  return kinds[kind].BYTES_PER_ELEMENT * length;
}

export class ArrayTable {
  readonly #arrays: readonly FlatArray[];
  readonly #positions: ReadonlyMap<string, number>;
  readonly #numbers: ReadonlyMap<string, number>;

  /** Throws an Error that names the first array that is not as the manifest describes it. */
  constructor(manifest: ArrayManifest, arrays: readonly FlatArray[]) {
    const { shapes, positions, numbers } = manifest;
    if (arrays.length !== shapes.length) {
      throw new Error(`expected ${shapes.length} arrays, as the manifest describes, not ${arrays.length}`);
    }
    for (const [i, { kind, length }] of shapes.entries()) {
      if (arrays[i] instanceof kinds[kind] && arrays[i].length === length) continue;
      const name = arrayNames(manifest)[i];
      throw new Error(
        `array ${name}: expected ${length} items of ${kind}, not ${arrays[i].length} of ${kindOf(arrays[i])}`,
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

  /** Returns an array whose numbers are stored in the smaller of two kinds. */
  uint16OrUint32(name: string): Uint16Array | Uint32Array {
    const array = this.#arrays[this.#positions.get(name) ?? -1];
    return array instanceof Uint16Array ? array : this.uint32(name);
  }

  /** The same for larger numbers. */
  uint32OrFloat64(name: string): Uint32Array | Float64Array {
    const array = this.#arrays[this.#positions.get(name) ?? -1];
    return array instanceof Uint32Array ? array : this.float64(name);
  }

  hasNumber(name: string): boolean {
    return this.#numbers.has(name);
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
