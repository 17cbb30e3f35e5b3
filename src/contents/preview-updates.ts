import { SnapshotError } from '../base/errors.ts';
import { AnsweredKeys } from '../live/answered-keys.ts';
import { type ChangeAnswer, type ChangeRequest, type RequestKey, staleVersion } from '../live/change-request.ts';
import { SerialQueue } from '../live/serial-queue.ts';
import { WaitingRequests } from '../live/waiting-requests.ts';
import type { Preview } from './preview.ts';
import { foldChanges, listsOf, type PreviewChanges, packChanges } from './preview-changes.ts';

/** Keeps the changes of a preview over a restart, and serves them in all threads. Rejects with a RequestError. */
export type KeepChanges = (changes: PreviewChanges) => Promise<void>;

/** Adds changes to a preview, one request at a time. */
export class PreviewUpdates {
  readonly #preview: Preview;
  readonly #keep: KeepChanges;
  readonly #requests = new WaitingRequests(new SerialQueue());
  readonly #keys = new AnsweredKeys();

  constructor(preview: Preview, keep: KeepChanges) {
    this.#preview = preview;
    this.#keep = keep;
  }

  /** As `ContentChanges.change`. */
  change(request: ChangeRequest, key: RequestKey | null): Promise<ChangeAnswer> {
    return this.#requests.run(async () => {
      const known = key && this.#keys.answerTo(key);
      if (known) return known;
      const { changes, version } = this.#prepare(request);
      await this.#keep(changes);
      const answer = { version, sequence: Number(version.slice(version.indexOf('-') + 1)) };
      if (key) this.#keys.add(key, answer);
      return answer;
    });
  }

  /** Returns all changes after a request, and the version that they lead to. */
  #prepare({ previous, form, given }: ChangeRequest): { changes: PreviewChanges; version: string } {
    const preview = this.#preview;
    if (form === 'batch') {
      throw new SnapshotError(['batch: a preview takes "changes", because the ids of its base may change'], 1, 'batch');
    }
    const content = preview.made;
    if (previous !== null && previous !== content.version) throw staleVersion(previous, content.version, false);
    content.served.prepareJson(given);
    const { revision } = preview.changes;
    const lists = listsOf(preview.changes);
    const folded = foldChanges(lists, given);
    const all = (folded && this.#made(folded, revision + 1)) ?? this.#made([...lists, given], revision + 1);
    // valid after the changes so far, as was checked above
    return all!;
  }

  /** Returns null if the lists do not fit the base. */
  #made(lists: readonly unknown[], revision: number): { changes: PreviewChanges; version: string } | null {
    const changes = packChanges(lists, revision);
    try {
      return { changes, version: this.#preview.make(changes).version };
    } catch (error) {
      if (error instanceof SnapshotError) return null;
      throw error;
    }
  }
}
