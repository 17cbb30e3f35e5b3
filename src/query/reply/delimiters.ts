/** The JSON around entries that does not depend on their values. It is encoded once and copied into every reply. */
import type { EntryType, LinkAttribute } from '../../model/schema/schema.ts';

/** The JSON around a list of entries, or around one entry or null. */
export interface Delimiters {
  /** `,"name":`; empty for a list that is not a member of an object. */
  readonly start: Buffer;
  /** Everything before the first entry, its brace included. */
  readonly open: Buffer;
  readonly between: Buffer;
  /** Everything after the last entry, its brace included. */
  readonly close: Buffer;
  /** The whole text if there is no entry. */
  readonly none: Buffer;
}

const between = Buffer.from('},{');

/** The value of a list without entries: `[]` or `null`. With `nothing`, its name is left out, too. */
type Emptiness = 'list' | 'null' | 'nothing';

function encode(start: string, many: boolean, inDataObject: boolean, emptiness: Emptiness): Delimiters {
  const before = start + (inDataObject ? '{"data":' : '');
  const after = inDataObject ? '}' : '';
  return {
    start: Buffer.from(start),
    open: Buffer.from(`${before}${many ? '[' : ''}{`),
    between,
    close: Buffer.from(`}${many ? ']' : ''}${after}`),
    none: Buffer.from(
      emptiness === 'nothing' ? '' : `${before}${many && emptiness === 'list' ? '[]' : 'null'}${after}`,
    ),
  };
}

/** A list that is not a member of an object. */
export const listDelimiters = encode('', true, false, 'list');

/** One entry that is not a member of an object. */
export const entryDelimiters = encode('', false, false, 'null');

/** The locale of an entry whose row has none. Strapi adds it below the inverse sides of polymorphic relations. */
export const nullLocaleMember = Buffer.from(',"locale":null');

/** Strapi 4 writes null for an empty list of files or `morphMany`, and leaves out an empty `morphToMany`. */
function emptinessOfPolymorphic(attribute: LinkAttribute): Emptiness {
  if (attribute.kind === 'polymorphic') return attribute.many ? 'nothing' : 'null';
  const isFromPolymorphic = attribute.kind === 'media' || (attribute.kind === 'relation' && attribute.fromPolymorphic);
  return isFromPolymorphic ? 'null' : 'list';
}

/**
 * Encodes the delimiters of attributes on first use. They depend on schema and dialect alone, so the cache outlives a
 * store; the number of attributes bounds it.
 */
export class DelimiterCache {
  readonly #emitsEmptyPolymorphicAsNull: boolean;
  readonly #plain = new Map<LinkAttribute, Delimiters>();
  readonly #inDataObject = new Map<LinkAttribute, Delimiters>();
  readonly #typeMembers = new Map<string, Buffer>();

  constructor({ emitsEmptyPolymorphicAsNull }: { emitsEmptyPolymorphicAsNull: boolean }) {
    this.#emitsEmptyPolymorphicAsNull = emitsEmptyPolymorphicAsNull;
  }

  /** The delimiters of an attribute that follows others. With `inDataObject`, its value is `{"data": …}`. */
  ofAttribute(attribute: LinkAttribute, inDataObject: boolean): Delimiters {
    const cache = inDataObject ? this.#inDataObject : this.#plain;
    let delimiters = cache.get(attribute);
    if (!delimiters) {
      const emptiness = this.#emitsEmptyPolymorphicAsNull ? emptinessOfPolymorphic(attribute) : 'list';
      delimiters = encode(`,${JSON.stringify(attribute.name)}:`, attribute.many, inDataObject, emptiness);
      cache.set(attribute, delimiters);
    }
    return delimiters;
  }

  /** The member that names the type of an entry in a polymorphic relation: `,"__type":"api::page.page"`. */
  typeMember({ uid }: EntryType, key: string, withLocale: boolean): Buffer {
    const text = `${withLocale ? nullLocaleMember : ''},"${key}":${JSON.stringify(uid)}`;
    let member = this.#typeMembers.get(text);
    if (!member) this.#typeMembers.set(text, (member = Buffer.from(text)));
    return member;
  }
}
