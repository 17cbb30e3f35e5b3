import { isDeepStrictEqual } from 'node:util';
import { foldChangesInSteps } from '../../changes/batch/fold-changes.ts';
import type { Unlinked } from '../../changes/batch/unlinked.ts';
import { SnapshotError } from '../../core/errors.ts';
import { SerialQueue } from '../../core/serial-queue.ts';
import { runInTurns } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { nextId } from '../../store/segment.ts';
import {
  AnsweredKeys,
  type ChangeAnswer,
  type ChangeRequest,
  type RequestKey,
  staleVersion,
  WaitingRequests,
} from '../live/change-request.ts';
import { changeLoadedByJsonInSteps } from '../versions/change-loaded.ts';
import type { Version } from '../versions/version.ts';
import { hasConditions, keptChanges } from './kept-changes.ts';
import type { MadePreview } from './made-preview.ts';
import type { Preview } from './preview.ts';
import { listsInSteps, packChangesInSteps } from './preview-changes.ts';

/**
 * Writes the changes of a preview to disk, calls `onKept`, and serves them in all other threads. Rejects with a
 * RequestError.
 */
export type KeepChanges = (made: MadePreview, onKept: () => void) => Promise<void>;

/** Adds changes to a preview, one request at a time. */
export class PreviewUpdates {
  /** The requests whose changes are made by `change`. */
  readonly waiting = new WaitingRequests();
  readonly #preview: Preview;
  readonly #keep: KeepChanges;
  readonly #queue = new SerialQueue();
  readonly #keys = new AnsweredKeys();

  constructor(preview: Preview, keep: KeepChanges) {
    this.#preview = preview;
    this.#keep = keep;
  }

  /** As `ChangeWriter.change`. */
  change(request: ChangeRequest, key: RequestKey | null): Promise<ChangeAnswer> {
    return this.#queue.run(async () => {
      const known = key && this.#keys.answerTo(key);
      if (known) return known;
      const { made, unlinked } = await this.#prepare(request);
      const { version } = made.content;
      const sequence = Number(version.slice(version.indexOf('-') + 1));
      const answer = { version, sequence, ...(unlinked.count > 0 && { unlinked }) };
      await this.#keep(made, () => {
        // the changes are on disk, even if another thread fails to serve them
        if (key) this.#keys.add(key, answer);
      });
      return answer;
    });
  }

  /**
   * Returns the preview with the changes of a request. They are folded into the last list if that leads to the same
   * content, so that many saves of one entry stay one change.
   */
  async #prepare({ previous, form, given }: ChangeRequest): Promise<{ made: MadePreview; unlinked: Unlinked }> {
    const preview = this.#preview;
    if (form === 'batch') {
      throw new SnapshotError(['batch: a preview takes "changes", because the ids of its base may change'], 1, 'batch');
    }
    const { over, changes, content } = await preview.open();
    if (previous !== null && previous !== content.version) throw staleVersion(previous, content.version, false);
    const { loaded } = content.history;
    const revision = changes.revision + 1;
    const kept = keptChanges(given, revision);
    if (hasConditions(given)) await runInTurns(changeLoadedByJsonInSteps(loaded, given, preview.settings));
    const { loaded: next, unlinked } = await runInTurns(changeLoadedByJsonInSteps(loaded, kept, preview.settings));
    const lists = await runInTurns(listsInSteps(changes));
    const folded = lists.length > 0 && (await runInTurns(foldChangesInSteps(loaded, lists.at(-1), kept)));
    const made = folded && (await this.#made([...lists.slice(0, -1), folded], revision, over));
    if (made && haveSameEffect(made.content.history.loaded, next)) return { made, unlinked };
    // `changeLoadedByJsonInSteps` has checked them
    const packed = await runInTurns(packChangesInSteps([...lists, kept], revision));
    return { made: await runInTurns(preview.maker.finishInSteps(next, packed, over)), unlinked };
  }

  /** Returns null if the lists do not fit the base. */
  async #made(lists: readonly unknown[], revision: number, over: Version): Promise<MadePreview | null> {
    try {
      const packed = await runInTurns(packChangesInSteps(lists, revision));
      return await runInTurns(this.#preview.maker.makeInSteps(packed, over));
    } catch (error) {
      if (error instanceof SnapshotError) return null;
      throw error;
    }
  }
}

/**
 * Whether two snapshots have the same content, and later changes have the same effect on both. Compares roles apart,
 * because no row holds their permissions.
 */
function haveSameEffect(one: LoadedSnapshot, { store, roles }: LoadedSnapshot): boolean {
  return (
    one.store.contentDigest === store.contentDigest &&
    one.store.segments.every((segment, number) => nextId(segment) === nextId(store.segments[number])) &&
    isDeepStrictEqual(one.roles, roles)
  );
}
