import type { JsonSink } from '../model/value-types.ts';
import { GrowableBytes } from '../sets/growable-buffers.ts';

/** So much is gathered where single bytes are written quickly, and then copied to the rest. */
const gatheredBytes = 2 ** 14;
/** Texts up to so many units are written unit by unit: that takes less time than one call of native code. */
const shortText = 48;
const quoteMark = 0x22;
const backslash = 0x5c;

/** UTF-8 that grows text by text, as JSON or as it stands, without building what is longer. */
export class Utf8Writer implements JsonSink {
  readonly #bytes = new GrowableBytes();
  readonly #gathered = Buffer.allocUnsafeSlow(gatheredBytes);
  #end = 0;

  get length(): number {
    return this.#bytes.length + this.#end;
  }

  /** Appends what is UTF-8 already. */
  bytes(bytes: Buffer): void {
    if (bytes.length > shortText) {
      this.#flush();
      return this.#bytes.copy(bytes, 0, bytes.length);
    }
    this.#reserve(bytes.length);
    const gathered = this.#gathered;
    let end = this.#end;
    for (let i = 0; i < bytes.length; i++) gathered[end++] = bytes[i];
    this.#end = end;
  }

  raw(text: string): void {
    if (!this.#isShortWritten(text, false)) this.#write(text);
  }

  text(value: string): void {
    if (this.#isShortWritten(value, true)) return;
    if (escaped.test(value)) return this.#write(JSON.stringify(value));
    this.#reserve(1);
    this.#gathered[this.#end++] = quoteMark;
    this.#write(value);
    this.#reserve(1);
    this.#gathered[this.#end++] = quoteMark;
  }

  /** What has been appended; nothing is left. */
  take(): Buffer {
    this.#flush();
    return this.#bytes.take();
  }

  /** Writes a text, in quotes or not, if it is short, ASCII, and the same in JSON. Otherwise nothing is written. */
  #isShortWritten(text: string, isQuoted: boolean): boolean {
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

/** What JSON writes otherwise than it stands in a well-formed text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const escaped = /["\\\0-\x1f]/;
