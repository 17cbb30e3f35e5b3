import { type EntryType, Schema } from '../model/schema.ts';
import { attachStore, describeStore, type StoreManifest } from '../store/attach-store.ts';
import type { FlatArray } from '../store/flat-arrays.ts';
import type { ImageContent } from './content.ts';

/** Content as it is written to a file: documents in JSON, and the arrays of the store. */
export interface ContentParts {
  readonly documents: ContentDocuments;
  readonly arrays: readonly FlatArray[];
}

export interface ContentDocuments extends Omit<ImageContent, 'store'> {
  /** The entry types of the schema. */
  readonly schema: readonly WrittenEntryType[];
  /** Names and shapes of the arrays. */
  readonly store: StoreManifest;
}

type WrittenEntryType = Omit<EntryType, 'attributes'> & { readonly attributes: readonly Attribute[] };
type Attribute = NonNullable<ReturnType<EntryType['attributes']['get']>>;

/** The arrays are those of the store: they are not copied. */
export function takeApart({ store, ...rest }: ImageContent): ContentParts {
  const { manifest, arrays } = describeStore(store);
  const schema = Array.from(store.schema.types.values(), (type) => {
    return { ...type, attributes: Array.from(type.attributes.values()) };
  });
  return { documents: { ...rest, schema, store: manifest }, arrays };
}

/** Takes no work that grows with the rows. Throws if the arrays do not fit their manifest. */
export function putTogether({ documents, arrays }: ContentParts): ImageContent {
  const { schema, store: manifest, ...rest } = documents;
  return { ...rest, store: attachStore(new Schema(schema.map(entryTypeOf)), { manifest, arrays }) };
}

function entryTypeOf({ attributes, ...type }: WrittenEntryType): EntryType {
  return { ...type, attributes: new Map(attributes.map((attribute) => [attribute.name, attribute])) };
}
