/** A rebase and an application lead to what a naive merge of base and preview leads to, attribute by attribute. */
import { afterEach, expect, test } from 'vitest';
import { randomFrom } from '../live/random-from.ts';
import type { Random } from '../property/random.ts';
import { caseCount } from '../support/cases.ts';
import { thingSnapshot } from '../support/guide.ts';
import { startSite } from './applied-previews.ts';
import { stopAll } from './running-contents.ts';

afterEach(stopAll);

const thing = 'api::thing.thing';
const names = ['a', 'b', 'c'];
type Values = Record<string, number | null>;
/** Documents with their values. */
type Documents = Map<string, Values>;

const attributes = Object.fromEntries(names.map((name) => [name, { type: 'integer' as const }]));
const first: Documents = new Map(['d0', 'd1', 'd2'].map((id, i) => [id, { a: i, b: i, c: null }]));

interface Edit {
  readonly kind: 'upsert' | 'patch' | 'delete';
  readonly documentId: string;
  readonly values: Values;
}

function randomEdit(random: Random, documents: Documents): Edit {
  const documentId = `d${random.integer(0, 4)}`;
  const value = () => (random.chance(25) ? null : random.integer(0, 2));
  const exists = documents.has(documentId);
  const kind = random.chance(40) || !exists ? 'upsert' : random.chance(75) ? 'patch' : 'delete';
  const written = kind === 'patch' ? random.some(names, 1, 2) : names;
  // an upsert as an editor sends it has the values that are left as they were
  const isKept = () => exists && kind === 'upsert' && random.chance(60);
  const values = written.map((name) => [name, isKept() ? documents.get(documentId)![name]! : value()]);
  return { kind, documentId, values: Object.fromEntries(values) };
}

function applyTo(documents: Documents, { kind, documentId, values }: Edit): void {
  if (kind === 'delete') documents.delete(documentId);
  else documents.set(documentId, { ...documents.get(documentId), ...values });
}

function changeOf({ kind, documentId, values }: Edit): object {
  if (kind === 'delete') return { delete: thing, documentId };
  return kind === 'upsert'
    ? { upsert: thing, entry: { documentId, ...values } }
    : { patch: thing, documentId, set: values };
}

/** A base with a preview, and what the base showed where the preview has changed it. */
class NaiveMerge {
  readonly base: Documents = new Map(first);
  /** The edits of the preview, in order. */
  readonly edits: Edit[] = [];
  readonly #known = new Map<string, Values | null>();

  /** What the preview shows; null if an edit does not fit the base. */
  get shown(): Documents | null {
    const documents = new Map(this.base);
    for (const edit of this.edits) {
      if (edit.kind !== 'upsert' && !documents.has(edit.documentId)) return null;
      applyTo(documents, edit);
    }
    return documents;
  }

  addToPreview(edit: Edit): void {
    const { documentId, values, kind } = edit;
    const before = this.base.get(documentId);
    const known = this.#known.get(documentId);
    // a deletion of what the base lacks notes nothing
    if (known !== null && !(kind === 'delete' && !before)) {
      const touched = kind === 'delete' ? names : Object.keys(values);
      const noted = before && Object.fromEntries(touched.map((name) => [name, before[name]!]));
      this.#known.set(documentId, noted ? { ...noted, ...known } : null);
    }
    this.edits.push(edit);
  }

  /** The base after a rebase and an application, if one side wins all conflicts. */
  merged(side: 'base' | 'preview'): Documents {
    const shown = this.shown!;
    const result = new Map(this.base);
    for (const [id, known] of this.#known) {
      const [base, preview] = [this.base.get(id), shown.get(id)];
      if (!base) {
        // added by the preview, or gone from the base
        if (preview && (known === null || side === 'preview')) result.set(id, preview);
        continue;
      }
      const touched = known ? Object.keys(known) : names;
      if (!preview) {
        const isChanged = touched.some((name) => base[name] !== (known ? known[name] : null));
        if (!isChanged || side === 'preview') result.delete(id);
        continue;
      }
      const values = touched.map((name) => {
        const [before, now, later] = [known ? known[name] : null, base[name]!, preview[name]!];
        const isConflict = now !== before && later !== now && !(known && later === before);
        const isKept = now === before || (isConflict && side === 'preview');
        return [name, isKept ? later : now];
      });
      result.set(id, { ...base, ...Object.fromEntries(values) });
    }
    return result;
  }
}

test('for random edits of both, whoever wins', { timeout: 300_000 }, async () => {
  const counts = { merged: 0, conflicts: 0 };
  for (let seed = 1; seed <= caseCount(150, 30); seed++) {
    const random = randomFrom(seed);
    const entries = Array.from(first, ([documentId, values]) => ({ documentId, ...values }));
    const { putPreview, change, apply, rebase, read } = await startSite({
      snapshot: thingSnapshot(attributes, entries),
    });
    await putPreview([]);
    const naive = new NaiveMerge();
    for (let step = 0; step < 6; step++) {
      const { shown } = naive;
      if (shown && random.chance(50)) {
        const edit = randomEdit(random, shown);
        await change([changeOf(edit)]);
        naive.addToPreview(edit);
      } else {
        const edit = randomEdit(random, naive.base);
        await change([changeOf(edit)], 'main');
        applyTo(naive.base, edit);
      }
    }
    if (!naive.shown) continue;
    const side = random.pick(['base', 'preview'] as const);
    const expected = naive.merged(side);
    const { status } = await rebase();
    counts[status === 200 ? 'merged' : 'conflicts']++;
    expect((await rebase({ resolve: side })).status, `seed ${seed}`).toBe(200);
    expect((await apply()).status, `seed ${seed}`).toBe(200);
    for (const id of ['d0', 'd1', 'd2', 'd3', 'd4']) {
      const [found] = await read(thing, id);
      const values = found && Object.fromEntries(names.map((name) => [name, found[name]]));
      expect([id, values], `seed ${seed}, ${side}`).toEqual([id, expected.get(id)]);
    }
    await stopAll();
  }
  expect(Math.min(counts.merged, counts.conflicts)).toBeGreaterThan(3);
});
