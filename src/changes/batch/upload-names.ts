import { uploadNamesOf } from '../../load/uploaded-files.ts';
import { fileType } from '../../model/schema/schema.ts';
import { jsonOf, readText } from '../../store/read-value.ts';
import { liveRowsWithText } from '../../store/rows-of-document.ts';
import { rowOfId, type Segment } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import { changedNames } from '../stale/changed-names.ts';
import type { ChangedRows } from '../stale/changed-rows.ts';
import type { Batch } from './batch.ts';
import { idOfRow } from './stored-links.ts';

/**
 * Returns the names of uploaded files after a batch; `before` if none changed. `added` are those of the files that the
 * batch writes. Names of files that it deletes or replaces go, unless another file with the same hash or address has
 * them.
 */
export function uploadNamesAfter(
  rows: ChangedRows,
  { entities }: Batch,
  added: ReadonlySet<string>,
  before: ReadonlySet<string>,
): ReadonlySet<string> {
  const changed = entities.filter(({ type }) => type === fileType);
  if (changed.length === 0) return before;
  const segment = segmentOf(rows.store, fileType);
  const ids = new Set(changed.map(({ id }) => id));
  const removed = new Set<string>();
  for (const id of ids) {
    const row = rowOfId(segment, id);
    if (row === undefined) continue;
    const names = storedNames(segment, row).filter((name) => !added.has(name));
    const kept = names.length === 0 ? [] : alikeRows(segment, row).filter((other) => !ids.has(idOfRow(segment, other)));
    const shared = new Set(kept.flatMap((other) => storedNames(segment, other)));
    for (const name of names) if (!shared.has(name)) removed.add(name);
  }
  return changedNames(before, removed, added);
}

/** The live rows with the hash or the address of a file. */
function alikeRows(segment: Segment, row: number): number[] {
  return ['hash', 'url'].flatMap((attribute) => {
    const text = readText(segment, row, attribute);
    return text === null ? [] : liveRowsWithText(segment, attribute, text);
  });
}

/** The names of a file in the store. Formats with rewritten addresses have none. */
function storedNames(segment: Segment, row: number): string[] {
  const [hash, ext, url] = ['hash', 'ext', 'url'].map((attribute) => readText(segment, row, attribute) ?? undefined);
  return uploadNamesOf({ hash, ext, url, formats: storedFormats(segment, row) });
}

function storedFormats(segment: Segment, row: number): unknown {
  const { rows, at } = jsonOf(segment, row);
  return rows.names.includes('formats') ? rows.value(at, 'formats') : null;
}
