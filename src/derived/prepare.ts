import type { DerivedPolicy } from '../base/dialect.ts';
import type { Store } from '../store/store.ts';
import { versionsOf } from './follow.ts';
import { jsonColumn } from './json-columns.ts';

/**
 * Builds what a dialect needs besides the store, and what the first query that needs it would otherwise wait for: of a
 * hundred thousand entries with bodies of blocks, seconds.
 */
export function prepare({ collections }: Store, { versionLinks, jsonTexts }: DerivedPolicy): void {
  for (const collection of collections) {
    const { type, columns } = collection;
    if (versionLinks && type.kind !== 'component') versionsOf(collection);
    if (!jsonTexts) continue;
    for (const [name, { dictionary }] of columns) {
      const attribute = type.attributes.get(name);
      const isList = attribute?.kind === 'scalar' && attribute.type === 'array';
      if (dictionary.kind === 'presence' && !isList) jsonColumn(collection, name);
    }
  }
}
