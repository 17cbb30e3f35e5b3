import { backslash, quoteMark } from '../../../core/json-tokens.ts';
import type { Allocator } from '../../../core/memory/allocator.ts';
import { GrowableBytes } from '../../../core/memory/growable-buffers.ts';
import type { JsonSink } from '../../../model/schema/value-types.ts';

/** Bytes are gathered in a small buffer, where single bytes are written fast, and copied from there in one call. */
const gatheredBytes = 2 ** 14;
/** Texts of up to this many UTF-16 units are written unit by unit: that is faster than one call of native code. */
const shortText = 48;

/** Writes texts as UTF-8, raw or as JSON strings, one after the other. */
export class Utf8Writer implements JsonSink {
  readonly #bytes: GrowableBytes;
  readonly #gathered = Buffer.allocUnsafeSlow(gatheredBytes);
  #end = 0;

  /** `place` names the texts in the error for more than 4 GiB. */
  constructor(place?: string) {
    this.#bytes = new GrowableBytes(place);
  }

  get length(): number {
    return this.#bytes.length + this.#end;
  }

  /** Appends UTF-8. */
  bytes(bytes: Buffer): void {
    this.copy(bytes, 0, bytes.length);
  }

  /** Appends bytes `start` up to `end` of UTF-8. */
  copy(source: Buffer, start: number, end: number): void {
    if (end - start > shortText) {
      this.#flush();
      return this.#bytes.copy(source, start, end);
    }
    this.#reserve(end - start);
    const gathered = this.#gathered;
    let last = this.#end;
    for (let i = start; i < end; i++) gathered[last++] = source[i];
    this.#end = last;
  }

  raw(text: string): void {
    if (!this.#tryWriteShort(text, false)) this.#write(text);
  }

  text(value: string): void {
    if (this.#tryWriteShort(value, true)) return;
    if (escaped.test(value)) return this.#write(JSON.stringify(value));
    this.#reserve(1);
    this.#gathered[this.#end++] = quoteMark;
    this.#write(value);
    this.#reserve(1);
    this.#gathered[this.#end++] = quoteMark;
  }

  /** Returns all bytes and frees the memory. Nothing is left. */
  take(allocator?: Allocator): Buffer {
    this.#flush();
    return this.#bytes.take(allocator);
  }

  /** Writes a text that is short, ASCII and without JSON escapes. Otherwise returns false and writes nothing. */
  #tryWriteShort(text: string, isQuoted: boolean): boolean {
    const { length } = text;
    if (length > shortText) return false;
    this.#reserve(length + 2);
    const gathered = this.#gathered;
    let end = this.#end;
    if (isQuoted) gathered[end++] = quoteMark;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f || (isQuoted && (unit < 0x20 || unit === quoteMark || unit === backslash))) return false;
      gathered[end++] = unit;
    }
    if (isQuoted) gathered[end++] = quoteMark;
    this.#end = end;
    return true;
  }

  #write(text: string): void {
    if (text.length * 3 > gatheredBytes) {
      this.#flush();
      this.#bytes.push(text);
    } else {
      this.#reserve(text.length * 3);
      this.#end += this.#gathered.write(text, this.#end);
    }
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes > gatheredBytes) this.#flush();
  }

  #flush(): void {
    this.#bytes.copy(this.#gathered, 0, this.#end);
    this.#end = 0;
  }
}

/** The characters of a well-formed text that JSON escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters
const escaped = /["\\\0-\x1f]/;
