/** What is derived from the texts of columns for queries with a language: texts without accents, and their order. */
import { iota } from '../../core/sets/row-set.ts';
import type { Column } from '../../store/columns/column.ts';
import type { DeltaColumn } from '../../store/overlay/delta-column.ts';
import type { DeltaTextDictionary } from '../../store/texts/delta-text-dictionary.ts';
import { separator } from '../../store/texts/pattern.ts';
import type { TextDictionary } from '../../store/texts/text-dictionary.ts';
import { columnBuilder } from '../../store/writer/columns/column-builder.ts';
import type { Derived, DerivedRegistry } from './registry.ts';
import { mergeOrders, orderTexts, type PlacesOfBoth, type TextOrder } from './text-order.ts';

type Texts = TextDictionary | DeltaTextDictionary;

/** Returns a text in which letters have no accents. */
export function withoutAccents(text: string): string {
  return isAscii(text) ? text : text.normalize('NFD').replace(/\p{Mn}+/gu, '');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

interface Entry<Made> extends Derived {
  readonly made: Made;
}

/** Derives on first use, in a time that grows with the texts, and keeps it as long as the memory of what is derived allows. */
export class LanguageTexts {
  readonly #registry: DerivedRegistry;
  /** By the column that it is derived from. */
  readonly #known = new WeakMap<Column, Map<string, Entry<unknown>>>();

  constructor(registry: DerivedRegistry) {
    this.#registry = registry;
  }

  /**
   * Returns a column whose rows are the values of a column of texts in their order, without accents. Null if no text has
   * any. `keyOf` makes the keys of a collation of them; `use` names it.
   */
  unaccented(column: Column, use: string, keyOf: ((text: string) => string) | null): Column | null {
    return this.#find(column, `without accents ${use}`, () => {
      const texts = column.dictionary as Texts;
      if (!keyOf && hasOnlyAscii(texts)) return { made: null, bytes: 0 };
      const builder = columnBuilder('string');
      for (let i = 0; i < texts.size; i++) {
        const text = withoutAccents(texts.text(i));
        builder.push(keyOf ? keyOf(text) : text);
      }
      const made = builder.finish(iota(texts.size));
      const { bytes, offsets } = made.dictionary as TextDictionary;
      return { made, bytes: 2 * bytes.length + offsets.byteLength + 3 * made.codes.byteLength };
    });
  }

  /** Returns the places of the texts of a column in the order of a language. */
  order(column: Column, language: string): TextOrder {
    return this.#find(column, language, () => {
      const made = orderTexts(column.dictionary as Texts, language);
      return { made, bytes: made.places.byteLength + made.examples.byteLength };
    });
  }

  /** The same for a column and the texts that its delta has. */
  mergedOrder(column: Column, changed: DeltaColumn, language: string): PlacesOfBoth {
    const order = this.order(column, language);
    // the order of the column is the same as long as the column is
    return this.#find(changed, language, () => {
      const made = mergeOrders(column.dictionary as Texts, order, changed, language);
      return { made, bytes: made.stored.byteLength + made.own.byteLength };
    });
  }

  #find<Made>(column: Column, key: string, make: () => { made: Made; bytes: number }): Made {
    const ofColumn = this.#known.get(column) ?? new Map<string, Entry<unknown>>();
    const known = ofColumn.get(key);
    if (known) {
      this.#registry.use(known);
      return known.made as Made;
    }
    const entry = { ...make(), onEvict: () => void ofColumn.delete(key) };
    ofColumn.set(key, entry);
    this.#known.set(column, ofColumn);
    this.#registry.add(entry);
    return entry.made;
  }
}

function hasOnlyAscii(texts: Texts): boolean {
  if (!('bytes' in texts)) return texts.texts.every((text) => isAscii(String(text)));
  const { bytes } = texts;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] > 0x7f && bytes[i] !== separator) return false;
  return true;
}
