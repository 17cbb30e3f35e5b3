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
import { withKnownInSteps } from './known-values.ts';
import type { MadePreview } from './made-preview.ts';
import type { Preview } from './preview.ts';
import { answeredInSteps, fileOfInSteps, type PreviewChanges, packFileInSteps } from './preview-changes.ts';

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

/** What a task knows about the request that it answers. `request` is the key of the request: by default its own. */
export interface UpdateTurn {
  /** Returns the requests to keep with an answer. */
  answeredWith(answer: ChangeAnswer, request?: RequestKey | null): AnsweredRequest[];
  /** To be called when the answer is on disk. */
  onKept(answer: ChangeAnswer, request?: RequestKey | null): void;
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
    return this.inTurn(key, async (turn) => {
      const { made, answer } = await this.#prepare(request, turn.answeredWith);
      // the changes are on disk, even if another thread fails to serve them
      await this.#keep(made, () => turn.onKept(answer));
      return answer;
    });
  }

  /** Runs a task between two requests. A key that was answered before gets that answer again. */
  inTurn<Answer extends ChangeAnswer>(
    key: RequestKey | null,
    task: (turn: UpdateTurn) => Promise<Answer>,
  ): Promise<Answer | ChangeAnswer> {
    return this.#queue.run(async () => {
      this.#keys ??= new AnsweredKeys(await runInTurns(answeredInSteps(this.#preview.changes)), maxKeys);
      const keys = this.#keys;
      const known = key && keys.answerTo(key);
      if (known) return known;
      const answeredWith = (answer: ChangeAnswer, request = key) => {
        const answered = new AnsweredKeys(keys.all, maxKeys);
        if (request) answered.add(request, answer);
        return answered.all;
      };
      return task({ answeredWith, onKept: (answer, request = key) => request && keys.add(request, answer) });
    });
  }

  /**
   * Returns the preview with the changes of a request. They are folded into the last list if that leads to the same
   * content, so that many saves of one entry stay one change. `answeredWith` returns the requests to keep.
   */
  async #prepare(
    { previous, form, given }: ChangeRequest,
    answeredWith: UpdateTurn['answeredWith'],
  ): Promise<PreparedUpdate> {
    const preview = this.#preview;
    if (form === 'batch') {
      throw new SnapshotError(['batch: a preview takes "changes", because the ids of its base may change'], 1, 'batch');
    }
    preview.requireSettled();
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
    const { lists, known } = await runInTurns(fileOfInSteps(changes));
    // nothing is known of changes that an earlier version of Lectern has kept
    const before = known ?? (lists.length === 0 ? {} : undefined);
    const file = {
      revision,
      answered: answeredWith(answer),
      known: before && (await runInTurns(withKnownInSteps(before, kept, over.loaded))),
    };
    const pack = (all: unknown[]) => runInTurns(packFileInSteps({ ...file, lists: all }));
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
