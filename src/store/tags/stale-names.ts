import type { Store } from '../store.ts';
import { anyChange, groupName, inverseName, isInverse, nameOf, rowName, typeName } from './tag-names.ts';
import { readTag, type Tag, taggedRowsOf } from './tags.ts';

/**
 * Returns the names of what a batch made stale: of rows as they were and as they are. Every type that it changes has its
 * own name among them.
 */
export function staleNames(before: Store, after: Store, tags: Iterable<Tag>): Set<string> {
  const names = new Set([anyChange]);
  const addDocument = (uid: string, name: string) => names.add(typeName(uid)).add(name).add(groupName(uid, name));
  for (const tag of tags) {
    const parts = readTag(tag);
    if (parts.kind === 'row' || parts.kind === 'presence') {
      const { uid, kind } = after.collections[parts.collection].type;
      // a reply names the entry that owns a component, or the type of the component
      if (kind === 'component') names.add(typeName(uid));
      else for (const { rows, name } of rowNames(before, after, parts.collection, parts.row)) addDocument(rows, name);
    } else if (parts.kind === 'links') {
      const { type, attribute } = after.schema.attributeAt(parts.attribute);
      for (const { rows, name } of rowNames(before, after, after.byUid.get(type.uid)!.number, parts.row)) {
        if (isInverse(attribute)) names.add(typeName(rows)).add(inverseName(name, attribute));
        else addDocument(rows, name);
      }
    } else names.add(typeName(parts.uid)).add(nameOf(parts));
  }
  return names;
}

/** The names of the document of a row, as it was and as it is, each with what tags name for the row. */
function rowNames(before: Store, after: Store, collection: number, row: number): { rows: string; name: string }[] {
  const states = [before, after].filter(({ segments }) => row < segments[collection].rowCount);
  return states.map((store) => ({
    rows: taggedRowsOf(store.segments[collection], row),
    name: rowName(store, collection, row),
  }));
}
