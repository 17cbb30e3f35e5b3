/**
 * The rows of a collection as JSON that is ready to be copied into a reply: the segments of a row's attributes stand
 * behind one another, `"id":1` then `,"documentId":"x"` then `,"name":"…"`. A run of attributes is one copy.
 */
export class JsonRows {
  readonly bytes: Uint8Array;
  /** For each row, where its segments start and where the last one ends: `names.length + 1` numbers. */
  readonly offsets: Uint32Array;
  /** The attributes, in the order of the segments. */
  readonly names: readonly string[];

  constructor(bytes: Buffer, offsets: Uint32Array, names: readonly string[]) {
    // views of a plain array are made sooner than those of a Buffer
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.offsets = offsets;
    this.names = names;
  }

  /** One value of a row, decoded. For the few places that need a value and not its bytes. */
  value(row: number, name: string): unknown {
    const position = this.names.indexOf(name);
    const at = row * (this.names.length + 1) + position;
    const segment = new TextDecoder().decode(this.bytes.subarray(this.offsets[at], this.offsets[at + 1]));
    return JSON.parse(segment.slice(segment.indexOf(':') + 1));
  }
}
