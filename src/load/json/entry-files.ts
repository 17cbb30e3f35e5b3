/** The names of the files that hold the entries of each content type. */
import { administratorType, type EntryType } from '../../model/schema/schema.ts';

const plainName = /^[\p{L}\p{N}_-]+$/u;

/**
 * Returns the content types by the names of their files in `entries/`, without the ending: the singular name. In the
 * content of a Strapi, several types may have a singular name, or one that no file can have: then the uid, with a dot in
 * place of the colons.
 */
export function entryFileNames(types: Iterable<EntryType>, isStrapi: boolean): Map<string, EntryType> {
  const named = Array.from(types).filter(({ kind, uid }) => kind !== 'component' && uid !== administratorType);
  const counts = new Map<string, number>();
  const keyOf = ({ singularName }: EntryType) => singularName.toLowerCase();
  for (const type of named) counts.set(keyOf(type), (counts.get(keyOf(type)) ?? 0) + 1);
  const isPlain = (type: EntryType) => plainName.test(type.singularName) && counts.get(keyOf(type)) === 1;
  return new Map(
    named.map((type) => [!isStrapi || isPlain(type) ? type.singularName : fileNameOf(type.uid), type] as const),
  );
}

/** Returns a name for a file that holds the definition or the entries of a type. */
export function fileNameOf(uid: string): string {
  return encodeURIComponent(uid.replace('::', '.'));
}
