/**
 * Applies changes of a preview to its base. Both are on disk, and a crash between two writes must neither lose changes
 * nor apply them twice:
 *
 * 1. The file of the preview says which changes are pending, under which key, and which version of the base has them.
 * 2. The base applies them as one batch with this key. Its journal keeps the batch and the key in one record.
 * 3. The file of the preview is written without these changes.
 *
 * After a crash, the key tells whether the base has the changes: then 3 is done, otherwise they are no longer pending. In
 * every thread, a preview over a version of the base that has the pending changes leaves them out.
 */
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { conflict, RequestError } from '../../core/errors.ts';
import { runInTurns } from '../../core/steps.ts';
import { nextVersion, versionText } from '../../store/content-version.ts';
import type { Content } from '../content.ts';
import { type ChangeAnswer, type RequestKey, staleVersion } from '../live/change-request.ts';
import type { ChangeWriter } from '../live/change-writer.ts';
import type { ContentEntry } from '../registry/contents.ts';
import type { DocumentChoice } from './choose-changes.ts';
import { knownOfInSteps } from './known-values.ts';
import { planApplyInSteps } from './plan-apply.ts';
import { planRebaseInSteps, type RebasePlan, type Resolve } from './plan-rebase.ts';
import type { Preview } from './preview.ts';
import {
  fileOfInSteps,
  listsWithout,
  type PendingApply,
  type PreviewChanges,
  type PreviewFile,
  packFileInSteps,
} from './preview-changes.ts';
import type { PreviewUpdates, UpdateTurn } from './preview-updates.ts';

export interface ApplyRequest {
  /** Null: all changes. */
  readonly documents: readonly DocumentChoice[] | null;
  /** The version of the base that the request requires; null for any. */
  readonly previous: string | null;
  /** Whether the base may lose the changes at its next restart. */
  readonly withoutJournal: boolean;
}

export interface ApplyAnswer extends ChangeAnswer {
  /** The numbers of changes that were applied, and of those that the preview still has. */
  readonly applied: number;
  readonly left: number;
}

export interface RebaseRequest extends Pick<ApplyRequest, 'previous'> {
  readonly resolve: Resolve;
}

export interface RebaseAnswer extends ChangeAnswer, Pick<RebasePlan, 'taken'> {
  /** The version of the base that the changes were taken over to. */
  readonly baseVersion: string;
  /** The number of changes. */
  readonly changes: number;
}

/** The base of a preview and the object that changes it. */
export interface ChangedBase {
  readonly entry: ContentEntry;
  readonly content: Content;
  readonly writer: ChangeWriter;
}

/** Keeps the changes of a preview. */
export interface PreviewKeeping {
  readonly log: Logger;
  /** Runs a task while nothing else puts, deletes or changes the preview and its base. Rejects with a RequestError. */
  alone<T>(base: ContentEntry, task: () => Promise<T>): Promise<T>;
  /** Writes changes to disk. */
  write(changes: PreviewChanges): Promise<void>;
  /** Serves changes in every thread. */
  serve(changes: PreviewChanges): Promise<void>;
}

export class PreviewApplication {
  readonly #preview: Preview;
  readonly #updates: PreviewUpdates;
  readonly #keeping: PreviewKeeping;

  constructor(preview: Preview, updates: PreviewUpdates, keeping: PreviewKeeping) {
    this.#preview = preview;
    this.#updates = updates;
    this.#keeping = keeping;
  }

  /** Resolves when every thread serves the base with the changes and the preview without. Rejects with a RequestError. */
  apply(request: ApplyRequest, key: RequestKey | null, base: ChangedBase): Promise<ApplyAnswer | ChangeAnswer> {
    return this.#updates.inTurn(key, (turn) =>
      this.#keeping.alone(base.entry, async () => {
        this.#preview.requireSettled();
        this.#checkBase(base, request);
        return base.writer.alone((change) => this.#apply(request, key, base, change, turn));
      }),
    );
  }

  /**
   * Takes the changes over to the base as it is now. Resolves when every thread serves the preview like this. Rejects with
   * a RequestError that lists the conflicts.
   */
  rebase(
    { previous, resolve }: RebaseRequest,
    key: RequestKey | null,
    base: ChangedBase,
  ): Promise<RebaseAnswer | ChangeAnswer> {
    return this.#updates.inTurn(key, (turn) =>
      this.#keeping.alone(base.entry, async () => {
        this.#preview.requireSettled();
        const { put, maker, changes } = this.#preview;
        const { content } = base;
        const over = content.history.latest;
        const baseVersion = versionText(over.engine.version);
        if (previous !== null && previous !== baseVersion) {
          throw staleVersion(previous, baseVersion, content.pinned !== null);
        }
        const file = await runInTurns(fileOfInSteps(changes));
        const { lists, known, taken } = await runInTurns(
          planRebaseInSteps({ put, maker, file, base: over.loaded }, resolve),
        );
        const revision = file.revision + 1;
        const version = maker.versionOver(over, revision);
        const count = lists.reduce<number>((total, list) => total + (list as unknown[]).length, 0);
        const { sequence } = version;
        const answer = { version: versionText(version), sequence, baseVersion, changes: count, taken };
        const answered = turn.answeredWith(answer);
        const rebased = await runInTurns(packFileInSteps({ revision, lists, known, answered }));
        await this.#keeping.write(rebased);
        turn.onKept(answer);
        await this.#keeping.serve(rebased);
        return answer;
      }),
    );
  }

  /** To be called at the start: finishes what a crash has interrupted. */
  async settle({ writer, content }: ChangedBase): Promise<void> {
    const { pending } = this.#preview.changes;
    if (!pending) return;
    const { pending: _, ...file } = await runInTurns(fileOfInSteps(this.#preview.changes));
    const answer = writer.answerTo(pending.key);
    if (!answer) return this.#keeping.serve(await runInTurns(packFileInSteps(file)));
    await this.#updates.inTurn(null, (turn) => this.#finish(file, pending, answer, content, turn));
  }

  #checkBase({ entry, writer }: ChangedBase, { withoutJournal }: ApplyRequest): void {
    const { name, source, put } = entry;
    const follows = source || (put === null && this.#preview.given.watch);
    if (follows) {
      throw conflict(
        `The content "${name}" follows a source, and takes no other changes: make them there, or write what is served to a snapshot with "lectern export" and serve that`,
      );
    }
    if (writer.hasJournal || withoutJournal) return;
    throw conflict(
      `The content "${name}" has no journal, so that it would lose the changes at its next restart: set journal, or send "withoutJournal": true`,
      { setting: 'journal' },
    );
  }

  async #apply(
    { documents, previous }: ApplyRequest,
    key: RequestKey | null,
    { content, writer }: ChangedBase,
    change: ChangeWriter['change'],
    turn: UpdateTurn,
  ): Promise<ApplyAnswer> {
    const { put, maker } = this.#preview;
    const over = content.history.latest;
    const { version } = over.engine;
    if (previous !== null && previous !== versionText(version)) {
      throw staleVersion(previous, versionText(version), content.pinned !== null);
    }
    const file = await runInTurns(fileOfInSteps(this.#preview.changes));
    const parts = { put, maker, file, over, settings: content.history.settings };
    const { batch, unlinked, taken, applied, left } = await runInTurns(planApplyInSteps(parts, documents));
    if (!batch) {
      const answer = { version: versionText(version), sequence: version.sequence, applied, left };
      turn.onKept(answer);
      return answer;
    }
    const own = { key: `apply ${put.snapshot} ${file.revision}`, digest: hash('sha256', JSON.stringify(taken)) };
    const next = versionText(nextVersion(version));
    const pending: PendingApply = { key: own, version: next, taken, applied, left, request: key };
    const waiting = await runInTurns(packFileInSteps({ ...file, pending }));
    await this.#keeping.write(waiting);
    await this.#keeping.serve(waiting);
    let answer: ChangeAnswer;
    try {
      answer = await change({ previous: null, form: 'batch', given: batch }, own);
    } catch (error) {
      const made = writer.answerTo(own);
      // the base has the batch, even if another thread fails to serve it
      if (made) await this.#finish(file, pending, made, content, turn);
      // after a 503, the journal may have it
      else if (!(error instanceof RequestError && error.status === 503)) {
        await this.#keeping.serve(await runInTurns(packFileInSteps(file)));
      }
      throw error;
    }
    const complete = { ...answer, ...(unlinked.count > 0 && { unlinked }) };
    return this.#finish(file, pending, complete, content, turn);
  }

  /** Takes the changes that the base has out of the preview. If the file cannot be written, the next start does it again. */
  async #finish(
    file: PreviewFile,
    { taken, applied, left, request }: PendingApply,
    ofBase: ChangeAnswer,
    { history }: Content,
    turn: UpdateTurn,
  ): Promise<ApplyAnswer> {
    const answer = { ...ofBase, applied, left };
    const lists = listsWithout(file.lists, taken);
    const known = file.known && (await runInTurns(knownOfInSteps(file.known, lists, history.loaded)));
    const answered = turn.answeredWith(answer, request);
    const changes = await runInTurns(packFileInSteps({ revision: file.revision + 1, lists, answered, known }));
    try {
      await this.#keeping.write(changes);
    } catch (error) {
      const reason = (error as Error).message;
      this.#keeping.log.warn({ content: this.#preview.put.name }, `the file of a preview cannot be written: ${reason}`);
    }
    turn.onKept(answer, request);
    const { name } = this.#preview.put;
    this.#keeping.log.info({ content: name, version: ofBase.version, applied, left }, 'changes of a preview applied');
    await this.#keeping.serve(changes);
    return answer;
  }
}
