import { isDeepStrictEqual } from 'node:util';
import { foldChangesInSteps } from '../../changes/batch/fold-changes.ts';
import { SnapshotError } from '../../core/errors.ts';
import { SerialQueue } from '../../core/serial-queue.ts';
import { runInTurns } from '../../core/steps.ts';
import type { LoadedSnapshot } from '../../load/loaded.ts';
import { versionText } from '../../store/content-version.ts';
import { nextId } from '../../store/segment.ts';
import {
  AnsweredKeys,
  type AnsweredRequest,
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
import { answeredInSteps, listsInSteps, type PreviewChanges, packChangesInSteps } from './preview-changes.ts';

/**
 * Writes the changes of a preview to disk, calls `onKept`, and serves them in all other threads. Rejects with a
 * RequestError.
 */
export type KeepChanges = (made: MadePreview, onKept: () => void) => Promise<void>;

/** Maximum number of keys. They are written with each change, and stay in memory with the changes. */
const maxKeys = 1000;

interface PreparedUpdate {
  readonly made: MadePreview;
  readonly answer: ChangeAnswer;
}

/** Adds changes to a preview, one request at a time. */
export class PreviewUpdates {
  /** The requests whose changes are made by `change`. */
  readonly waiting = new WaitingRequests();
  readonly #preview: Preview;
  readonly #keep: KeepChanges;
  readonly #queue = new SerialQueue();
  /** Read from the changes of the preview by the first request. */
  #keys: AnsweredKeys | null = null;

  constructor(preview: Preview, keep: KeepChanges) {
    this.#preview = preview;
    this.#keep = keep;
  }

  /** As `ChangeWriter.change`. */
  change(request: ChangeRequest, key: RequestKey | null): Promise<ChangeAnswer> {
    return this.#queue.run(async () => {
      this.#keys ??= new AnsweredKeys(await runInTurns(answeredInSteps(this.#preview.changes)), maxKeys);
      const keys = this.#keys;
      const known = key && keys.answerTo(key);
      if (known) return known;
      const { made, answer } = await this.#prepare(request, (answer) => {
        const answered = new AnsweredKeys(keys.all, maxKeys);
        if (key) answered.add(key, answer);
        return answered.all;
      });
      await this.#keep(made, () => {
        // the changes are on disk, even if another thread fails to serve them
        if (key) keys.add(key, answer);
      });
      return answer;
    });
  }

  /**
   * Returns the preview with the changes of a request. They are folded into the last list if that leads to the same
   * content, so that many saves of one entry stay one change. `answeredWith` returns the requests to keep.
   */
  async #prepare(
    { previous, form, given }: ChangeRequest,
    answeredWith: (answer: ChangeAnswer) => readonly AnsweredRequest[],
  ): Promise<PreparedUpdate> {
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
    const version = preview.maker.versionOver(over, revision);
    const { sequence } = version;
    const answer = { version: versionText(version), sequence, ...(unlinked.count > 0 && { unlinked }) };
    const pack = (lists: readonly unknown[]) => runInTurns(packChangesInSteps(lists, revision, answeredWith(answer)));
    const lists = await runInTurns(listsInSteps(changes));
    const folded = lists.length > 0 && (await runInTurns(foldChangesInSteps(loaded, lists.at(-1), kept)));
    const made = folded && (await this.#made(() => pack([...lists.slice(0, -1), folded]), over));
    if (made && haveSameEffect(made.content.history.loaded, next)) return { made, answer };
    // `changeLoadedByJsonInSteps` has checked them
    const packed = await pack([...lists, kept]);
    return { made: await runInTurns(preview.maker.finishInSteps(next, packed, over)), answer };
  }

  /** Returns null if the lists do not fit the base. */
  async #made(pack: () => Promise<PreviewChanges>, over: Version): Promise<MadePreview | null> {
    try {
      return await runInTurns(this.#preview.maker.makeInSteps(await pack(), over));
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
