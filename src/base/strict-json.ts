/** Strict reading of JSON that people and other programs write: no key may occur twice in an object. */
import { formatNumber } from './format-number.ts';
import { type JsonOptions, readJson } from './json-reader.ts';
import type { JsonPlace } from './json-tokens.ts';
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
}

export function readStrictJson(text: string | Buffer, options?: JsonOptions): StrictReading {
  return runAtOnce(readStrictJsonInSteps(typeof text === 'string' ? Buffer.from(text) : text, options));
}

/** Reads JSON in UTF-8. */
export function* readStrictJsonInSteps(bytes: Buffer, options?: JsonOptions): Steps<StrictReading> {
  const { value, error, duplicates, duplicateCount } = yield* readJson(bytes, options);
  const columns = new Columns(bytes);
  if (error) {
    const message = `${error.kind === 'syntax' ? 'invalid JSON:' : 'the JSON'} ${error.message}`;
    return { value, faults: [{ message, line: error.place.line, column: columns.at(error.place) }] };
  }
  const faults: LocatedFault[] = [];
  for (const { message, place } of duplicates) {
    faults.push({ message, line: place.line, column: columns.at(place) });
    yield;
  }
  const more = duplicateCount - faults.length;
  if (more === 0) return { value, faults };
  const last = faults.pop()!;
  return { value, faults: [...faults, { ...last, message: `${last.message}, and ${formatNumber(more)} more` }] };
}

/** Counts the characters of lines up to places that follow one another. Looks at each byte once. */
class Columns {
  readonly #bytes: Buffer;
  #offset = 0;
  #column = 1;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  at({ offset, lineStart }: JsonPlace): number {
    if (lineStart >= this.#offset) {
      this.#offset = lineStart;
      this.#column = 1;
    }
    this.#column += this.#bytes.toString('utf8', this.#offset, offset).length;
    this.#offset = offset;
    return this.#column;
  }
}
