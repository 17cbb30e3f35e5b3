/** Strict reading of JSON that people and other programs write: no key may occur twice in an object. */

import { type JsonOptions, readJsonInSteps } from './json-reader.ts';
import type { JsonPlace } from './json-tokens.ts';
import { formatNumber } from './problems.ts';
import { runAtOnce, type Steps } from './steps.ts';

/** A syntax error, an exceeded limit or a duplicate key. Line and column are counted from 1. */
interface LocatedFault {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

interface StrictReading {
  /** Undefined after an error. */
  readonly value: unknown;
  /** The error or the first duplicate keys. The last of these says how many follow. */
  readonly faults: readonly LocatedFault[];
  /** Commas and opening brackets. */
  readonly values: number;
}

export function readStrictJson(text: string | Buffer, options?: JsonOptions): StrictReading {
  return runAtOnce(readStrictJsonInSteps(typeof text === 'string' ? Buffer.from(text) : text, options));
}

/** Reads JSON in UTF-8. */
export function* readStrictJsonInSteps(bytes: Buffer, options?: JsonOptions): Steps<StrictReading> {
  const { value, error, duplicates, duplicateCount, values } = yield* readJsonInSteps(bytes, options);
  const columns = new Columns(bytes);
  if (error) {
    const message = `${error.kind === 'syntax' ? 'invalid JSON:' : 'the JSON'} ${error.message}`;
    const column = yield* columns.inSteps(error.place);
    return { value, faults: [{ message, line: error.place.line, column }], values };
  }
  const faults: LocatedFault[] = [];
  for (const { message, place } of duplicates) {
    faults.push({ message, line: place.line, column: yield* columns.inSteps(place) });
  }
  const more = duplicateCount - faults.length;
  if (more === 0) return { value, faults, values };
  const last = faults.pop()!;
  const listed = [...faults, { ...last, message: `${last.message}, and ${formatNumber(more)} more` }];
  return { value, faults: listed, values };
}

/** Bytes that a step counts. */
const countedBytes = 2 ** 18;

/** Counts the characters of lines up to places that follow one another. Looks at each byte once. */
class Columns {
  readonly #bytes: Buffer;
  #offset = 0;
  #column = 1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  *inSteps({ offset, lineStart }: JsonPlace): Steps<number> {
    if (lineStart >= this.#offset) {
      this.#offset = lineStart;
      this.#column = 1;
    }
    while (this.#offset < offset) {
      const end = Math.min(offset, this.#offset + countedBytes);
      for (; this.#offset < end; this.#offset++) this.#column += charactersOf(this.#bytes[this.#offset]);
      yield;
    }
    return this.#column;
  }
}

/** Returns how many UTF-16 code units begin with a byte of UTF-8. */
function charactersOf(byte: number): number {
  if (byte >= 0xf0) return 2;
  return byte >= 0x80 && byte < 0xc0 ? 0 : 1;
}
