/** The weights by which a collation of MySQL or MariaDB compares characters: those that its server gives. */
import { brotliDecompressSync } from 'node:zlib';
import { weightTables } from './weight-tables.ts';

/** The tables name the weights of code points below this one. */
export const writtenCodePoints = 0x20000;

export type WeightTableName = keyof typeof weightTables;

/** The weights of the characters of one collation. */
export interface Weights {
  readonly name: WeightTableName;
  /** The weights that the table names, by code point. */
  readonly written: ReadonlyMap<number, readonly number[]>;
  /** Returns the weights of a code point: one or several, none for a character that the collation ignores. */
  of(codePoint: number): readonly number[];
}

/** The weights of all characters above U+FFFF in the two oldest collations. */
export const weightsAbove = [0xfffd];

/**
 * Returns the weights of a code point that a table does not name. In general_ci, a character has itself as its weight. In
 * the others, its weights follow from its number.
 */
export function defaultWeights(name: string, codePoint: number): readonly number[] {
  const isOld = name === 'general' || name === 'unicode';
  if (isOld && codePoint > 0xffff) return weightsAbove;
  return name === 'general' ? [codePoint] : [baseOf(codePoint) + (codePoint >> 15), (codePoint & 0x7fff) | 0x8000];
}

/** Returns the code point that has weights by default, null if none has. */
export function impliedCodePoint(name: string, [first, second = 0]: readonly number[]): number | null {
  const codePoint = name === 'general' ? first : ((first & 0x3f) << 15) | (second & 0x7fff);
  return String(defaultWeights(name, codePoint)) === String([first, second].slice(0, name === 'general' ? 1 : 2))
    ? codePoint
    : null;
}

/** Returns the base of the first implicit weight: of ideographs, of their extensions, or of other characters. */
function baseOf(codePoint: number): number {
  const isIdeograph = (codePoint >= 0x4e00 && codePoint < 0xa000) || (codePoint >= 0xf900 && codePoint < 0xfb00);
  if (isIdeograph) return 0xfb40;
  return (codePoint >= 0x3400 && codePoint < 0x4dc0) || codePoint >= 0x20000 ? 0xfb80 : 0xfbc0;
}

/** Reads a table. It takes some 20 ms. */
export function readWeights(name: WeightTableName): Weights {
  const bytes = brotliDecompressSync(Buffer.from(weightTables[name], 'base64'));
  let at = 0;
  const read = (): number => {
    let value = 0;
    let factor = 1;
    for (; bytes[at] > 0x7f; factor *= 128) value += (bytes[at++] & 0x7f) * factor;
    value += bytes[at++] * factor;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const counts: [codePoint: number, count: number][] = [];
  for (let codePoint = 0, step = read(); step > 0; step = read()) {
    codePoint += step;
    counts.push([codePoint, read()]);
  }
  const written = new Map<number, readonly number[]>();
  let last = 0;
  for (const [codePoint, count] of counts) {
    written.set(
      codePoint,
      Array.from({ length: count }, () => (last += read())),
    );
  }
  return { name, written, of: (codePoint) => written.get(codePoint) ?? defaultWeights(name, codePoint) };
}
