import type { ChangedRows } from '../stale/changed-rows.ts';
import type { BatchLinks } from './batch.ts';
import { componentAttributes } from './stored-components.ts';
import { areSameLinks, storedLinks } from './stored-links.ts';

/** Returns the lists of components that a batch changes. */
export function componentLists({ store, written }: ChangedRows): BatchLinks[] {
  return Array.from(written.values()).flatMap((rows) =>
    Array.from(rows.values()).flatMap(({ type, id, replaces, components }) =>
      componentAttributes(store.schema, type).flatMap((attribute) => {
        const { name } = attribute;
        const targets = components.get(name) ?? [];
        const before = replaces === undefined ? [] : storedLinks(store, type, attribute, replaces);
        return areSameLinks(before, targets) ? [] : [{ type: type.uid, id, attribute: name, targets }];
      }),
    ),
  );
}
