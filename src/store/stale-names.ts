import type { Store } from './store.ts';
import { anyChange, groupName, inverseName, isInverse, nameOf, rowName, typeName } from './tag-names.ts';
import { readTag, type Tag } from './tags.ts';

/**
 * Returns the names of what a batch made stale: of rows as they were and as they are. Every type that it changes has its
 * own name among them.
 */
export function staleNames(before: Store, after: Store, tags: Iterable<Tag>): Set<string> {
  const names = new Set([anyChange]);
  const addDocument = (uid: string, name: string) => names.add(typeName(uid)).add(name).add(groupName(uid, name));
  for (const tag of tags) {
    const parts = readTag(tag);
    if (parts.kind === 'row') {
      const { uid } = after.collections[parts.collection].type;
      for (const name of rowNames(before, after, parts.collection, parts.row)) addDocument(uid, name);
    } else if (parts.kind === 'links') {
      const { type, attribute } = after.schema.attributeAt(parts.attribute);
      for (const name of rowNames(before, after, after.byUid.get(type.uid)!.number, parts.row)) {
        if (isInverse(attribute)) names.add(typeName(type.uid)).add(inverseName(name, attribute));
        else addDocument(type.uid, name);
      }
    } else names.add(typeName(parts.uid)).add(nameOf(parts));
  }
  return names;
}

function rowNames(before: Store, after: Store, collection: number, row: number): string[] {
  const states = [before, after].filter(({ segments }) => row < segments[collection].rowCount);
  return states.map((store) => rowName(store, collection, row));
}
