import { createHash } from 'node:crypto';
import type { Store } from '../../store.ts';
import type { RowDigest } from './row-digest.ts';
import { RowDigests } from './row-digest.ts';

const hexDigits = 16;

/**
 * The digest of a content: the sum of the digests of its rows and of its settings, modulo 2^128. So it is the same in
 * whatever order rows came, and a change subtracts rows and adds others. It finds differences, but does not protect
 * from forgery: whoever writes content can make one with a given digest.
 */
export class ContentDigest {
  /** The high and the low half. Additions wrap around. */
  readonly #halves = new BigUint64Array(2);

  /** `version` is that of a content; default: nothing. */
  constructor(version = '') {
    this.#halves[0] = BigInt(`0x0${version.slice(0, hexDigits)}`);
    this.#halves[1] = BigInt(`0x0${version.slice(hexDigits)}`);
  }

  add({ high, low }: RowDigest): void {
    this.#halves[0] += high;
    this.#halves[1] += low;
  }

  subtract({ high, low }: RowDigest): void {
    this.#halves[0] -= high;
    this.#halves[1] -= low;
  }

  /** 32 hexadecimal digits. */
  toString(): string {
    return Array.from(this.#halves, (half) => half.toString(16).padStart(hexDigits, '0')).join('');
  }
}

/** Returns the version of a content: equal for equal content, on any machine. */
export function contentDigest(store: Pick<Store, 'schema' | 'collections'>, defaultLocale: string): string {
  const digest = new ContentDigest(settingsDigest(store, defaultLocale));
  const rows = new RowDigests(store);
  for (const { number, rowCount } of store.collections) {
    for (let row = 0; row < rowCount; row++) digest.add(rows.of(number, row));
  }
  return digest.toString();
}

function settingsDigest({ collections }: Pick<Store, 'collections'>, defaultLocale: string): string {
  // the order of attributes shows in replies; the order of types does not
  const sorted = collections.map(({ type }) => type).sort((a, b) => (a.uid < b.uid ? -1 : 1));
  const types = sorted.map((type) => [type, Array.from(type.attributes.values())]);
  return createHash('sha256')
    .update(JSON.stringify([defaultLocale, types]))
    .digest('hex')
    .slice(0, hexDigits * 2);
}
