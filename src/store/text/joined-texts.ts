import { firstWhere } from '../../sets/binary-search.ts';
import { lowerCased } from './pattern.ts';

/** A text in UTF-8 and its folded form, each between two separators. */
interface JoinedText {
  readonly bytes: Uint8Array;
  readonly folded: Uint8Array;
}

/** Texts of more bytes are searched one by one: joining them would take as long as several searches. */
const maximumBytes = 512 * 1024;

/**
 * Short texts as one, folded and in lower case, so that native code searches them all: 1,000 titles take 20 µs, and took
 * 240 one by one.
 */
export class JoinedTexts {
  readonly #bytes: Buffer;
  /** Where each text starts, with the separator before it. */
  readonly #starts: Uint32Array;

  private constructor(texts: readonly JoinedText[], length: number) {
    this.#bytes = Buffer.allocUnsafeSlow(length);
    this.#starts = new Uint32Array(texts.length);
    let end = 0;
    for (let i = 0; i < texts.length; i++) {
      const { folded } = texts[i];
      this.#starts[i] = end;
      for (let at = 0; at < folded.length; at++) this.#bytes[end++] = lowerCased[folded[at]];
    }
  }

  /** Null if the texts are too long. */
  static of(texts: readonly JoinedText[]): JoinedTexts | null {
    let length = 0;
    for (const { bytes } of texts) {
      length += bytes.length;
      if (length > maximumBytes) return null;
    }
    const folded = texts.reduce((sum, text) => sum + text.folded.length, 0);
    return new JoinedTexts(texts, folded);
  }

  /** The numbers of the texts that contain a folded pattern, which has separators where it is bound to an end. */
  *find(pattern: Buffer): Generator<number> {
    const starts = this.#starts;
    for (let at = this.#bytes.indexOf(pattern); at >= 0; ) {
      const next = firstWhere(starts.length, (i) => starts[i] > at);
      yield next - 1;
      if (next === starts.length) return;
      at = this.#bytes.indexOf(pattern, starts[next]);
    }
  }
}
