import { contentTypes } from '../naive/types.ts';
import { keyOf, type LinkTarget, type Model } from './model.ts';

const publishedAt = '2026-01-02T03:04:05.006Z';

/**
 * Returns the content with every document published in the state of its draft: each draft is a published entry, and the
 * entry that was published is gone. Links to it lead to the draft, unless the list has a link to the draft already.
 */
export function publishDrafts(model: Model): Model {
  const copy = model.clone();
  const draftOf = hiddenEntries(model);
  for (const [row, lists] of model.links) {
    copy.links.set(row, new Map(Array.from(lists, ([name, list]) => [name, redirect(list, draftOf)])));
  }
  const hidden = Array.from(draftOf.keys(), (row) => row.split(' '));
  copy.apply({ entities: hidden.map(([type, id]) => ({ type: type!, id: Number(id), data: null })), links: [] });
  const drafts = [...copy.entities].flatMap(([type, rows]) =>
    hasDrafts(model, type)
      ? Array.from(rows, ([id, data]) => ({
          type,
          id,
          data: { ...data, publishedAt: data.publishedAt ?? publishedAt },
        }))
      : [],
  );
  copy.apply({ entities: drafts, links: [] });
  return copy;
}

/** By published entry that has a draft: the id of the draft. */
function hiddenEntries(model: Model): Map<string, number> {
  const hidden = new Map<string, number>();
  for (const [type, rows] of model.entities) {
    if (!hasDrafts(model, type)) continue;
    const versionOf = (row: Record<string, unknown>) => JSON.stringify([row.documentId, row.locale ?? null]);
    const drafts = new Map<string, number>();
    for (const [id, data] of rows) if (data.publishedAt == null) drafts.set(versionOf(data), id);
    for (const [id, data] of rows) {
      const draft = data.publishedAt == null ? undefined : drafts.get(versionOf(data));
      if (draft !== undefined) hidden.set(keyOf(type, id), draft);
    }
  }
  return hidden;
}

function hasDrafts(model: Model, uid: string): boolean {
  return contentTypes(model.snapshot)[uid]?.drafts === true;
}

function redirect(list: readonly LinkTarget[], draftOf: ReadonlyMap<string, number>): LinkTarget[] {
  const linked = new Set(list.map(({ type, id }) => keyOf(type, id)));
  return list.map((link) => {
    const draft = draftOf.get(keyOf(link.type, link.id));
    return draft === undefined || linked.has(keyOf(link.type, draft)) ? link : { ...link, id: draft };
  });
}
