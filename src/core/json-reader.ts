/** Reads JSON strictly, in steps, without recursion. Takes time in proportion to the bytes. */

import {
  closeBrace,
  closeBracket,
  colon,
  comma,
  JsonEnd,
  type JsonPlace,
  JsonTokens,
  openBrace,
  openBracket,
  quoteMark,
} from './json-tokens.ts';
import { formatNumber, preview } from './problems.ts';
import type { Steps } from './steps.ts';

/** A key that occurs twice in an object. */
export interface DuplicateKey {
  readonly message: string;
  readonly place: JsonPlace;
}

export interface JsonReading {
  /** Undefined after an error. The last value of a duplicate key counts. */
  readonly value: unknown;
  readonly error: JsonEnd | null;
  /** The first 20 duplicate keys. */
  readonly duplicates: readonly DuplicateKey[];
  /** Number of duplicate keys, including those not listed. */
  readonly duplicateCount: number;
  /** Commas and opening brackets. */
  readonly values: number;
}

export interface JsonOptions {
  /** Default: none. */
  readonly limits?: JsonReaderLimits;
  /** Messages quote nothing of the text but duplicate keys. */
  readonly mayHoldSecrets?: boolean;
}

interface JsonReaderLimits {
  readonly depth: number;
  /** Commas and opening brackets. */
  readonly values: number;
  /** Keys of one object. Default: no limit. */
  readonly keys?: number;
  /** Bytes of one string. Default: no limit. */
  readonly textBytes?: number;
  /** Characters of one number. Default: no limit. */
  readonly numberBytes?: number;
}

const noLimits: JsonReaderLimits = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/** A step ends after this many tokens, or after the token that reaches this many bytes. */
const tokensPerStep = 256;
const bytesPerStep = 2 ** 18;

/** Maximum number of duplicate keys that are listed. */
const maxDuplicates = 20;

export function tooDeepMessage(depth: number): string {
  return `is nested deeper than ${depth} levels`;
}

export function tooManyValuesMessage(maxValues: number): string {
  return `holds more than ${formatNumber(maxValues)} values`;
}

/** Reads JSON in UTF-8. */
export function* readJsonInSteps(bytes: Buffer, options: JsonOptions = {}): Steps<JsonReading> {
  const reader = new JsonReader(bytes, options);
  try {
    while (reader.read()) yield;
  } catch (error) {
    if (!(error instanceof JsonEnd)) throw error;
    return { value: undefined, error, duplicates: [], duplicateCount: 0, values: reader.values };
  }
  const { value, duplicates, duplicateCount, values } = reader;
  return { value, error: null, duplicates, duplicateCount, values };
}

type Container = unknown[] | Record<string, unknown>;

class JsonReader {
  value: unknown;
  readonly duplicates: DuplicateKey[] = [];
  duplicateCount = 0;
  values = 0;
  readonly #tokens: JsonTokens;
  readonly #limits: JsonReaderLimits;
  /** `item` and `member` may also be the end of an array or object that is empty. */
  #expected: 'value' | 'item' | 'key' | 'member' | 'colon' | 'separator' | 'end' = 'value';
  /** The arrays and objects that are open, and the key of each in the one around it. */
  readonly #open: Container[] = [];
  readonly #keys: string[] = [];
  #key = '';
  /** The number of keys of the innermost object so far, and of each around it. */
  #keyCount = 0;
  readonly #keyCounts: number[] = [];

  constructor(bytes: Buffer, { limits = noLimits, mayHoldSecrets = false }: JsonOptions) {
    this.#tokens = new JsonTokens(bytes, mayHoldSecrets, limits);
    this.#limits = limits;
  }

  /** Makes a step. Returns whether there is another one. Throws a JsonEnd. */
  read(): boolean {
    const end = this.#tokens.at + bytesPerStep;
    for (let i = 0; i < tokensPerStep && this.#tokens.at < end; i++) {
      if (!this.#tokens.skipBlanks()) continue;
      const { byte } = this.#tokens;
      if (byte === undefined && this.#expected === 'end') return false;
      this.#readToken(byte);
    }
    return true;
  }

  #readToken(byte: number | undefined): void {
    switch (this.#expected) {
      case 'item':
        return byte === closeBracket ? this.#close() : this.#readValue(byte);
      case 'value':
        return this.#readValue(byte);
      case 'member':
        return byte === closeBrace ? this.#close() : this.#readKey(byte);
      case 'key':
        return this.#readKey(byte);
      case 'colon':
        if (byte !== colon) throw this.#tokens.unexpected('expected ":" after the key');
        return this.#pass('value');
      case 'separator':
        return this.#readSeparator(byte);
      case 'end':
        throw this.#tokens.unexpected('expected the end of the text');
    }
  }

  #readValue(byte: number | undefined): void {
    const tokens = this.#tokens;
    if (byte === quoteMark) this.#give(tokens.readString());
    else if (byte === openBrace) this.#begin({}, 'member');
    else if (byte === openBracket) this.#begin([], 'item');
    else if (byte === 0x74) this.#give(tokens.readName('true', true));
    else if (byte === 0x66) this.#give(tokens.readName('false', false));
    else if (byte === 0x6e) this.#give(tokens.readName('null', null));
    else if (byte === 0x2d || (byte !== undefined && byte >= 0x30 && byte <= 0x39)) this.#give(tokens.readNumber());
    else throw tokens.unexpected('expected a value');
  }

  #readKey(byte: number | undefined): void {
    if (byte !== quoteMark) throw this.#tokens.unexpected('expected a key in double quotes');
    const { at } = this.#tokens;
    const key = this.#tokens.readString();
    if (Object.hasOwn(this.#open.at(-1)!, key) && ++this.duplicateCount <= maxDuplicates) {
      this.duplicates.push({ message: `duplicate key ${preview(key)}`, place: this.#tokens.placeOf(at) });
    }
    this.#countKey(at);
    this.#key = key;
    this.#expected = 'colon';
  }

  #readSeparator(byte: number | undefined): void {
    const isList = Array.isArray(this.#open.at(-1));
    if (byte === comma) {
      this.#countValue();
      this.#pass(isList ? 'value' : 'key');
    } else if (byte === (isList ? closeBracket : closeBrace)) this.#close();
    else throw this.#tokens.unexpected(isList ? 'expected "," or "]"' : 'expected "," or "}"');
  }

  #begin(container: Container, next: 'item' | 'member'): void {
    this.#countValue();
    const { depth } = this.#limits;
    if (this.#open.length >= depth) throw new JsonEnd(tooDeepMessage(depth), this.#tokens.placeOf(), 'limit');
    this.#open.push(container);
    this.#keys.push(this.#key);
    this.#keyCounts.push(this.#keyCount);
    this.#keyCount = 0;
    this.#pass(next);
  }

  #close(): void {
    this.#tokens.at++;
    this.#key = this.#keys.pop()!;
    this.#keyCount = this.#keyCounts.pop()!;
    this.#give(this.#open.pop());
  }

  #pass(next: 'value' | 'item' | 'key' | 'member'): void {
    this.#tokens.at++;
    this.#expected = next;
  }

  /** Puts a value in its place. */
  #give(value: unknown): void {
    const parent = this.#open.at(-1);
    this.#expected = parent === undefined ? 'end' : 'separator';
    if (parent === undefined) this.value = value;
    else if (Array.isArray(parent)) parent.push(value);
    else if (this.#key !== '__proto__') parent[this.#key] = value;
    else Object.defineProperty(parent, this.#key, { value, configurable: true, enumerable: true, writable: true });
  }

  #countValue(): void {
    const { values } = this.#limits;
    if (++this.values > values) throw new JsonEnd(tooManyValuesMessage(values), this.#tokens.placeOf(), 'limit');
  }

  #countKey(at: number): void {
    const { keys = Number.POSITIVE_INFINITY } = this.#limits;
    if (++this.#keyCount <= keys) return;
    throw new JsonEnd(`has an object of more than ${formatNumber(keys)} keys`, this.#tokens.placeOf(at), 'limit');
  }
}
