import type { Batch } from '../../src/changes/batch/batch.ts';
import { nodeFiles } from '../../src/changes/journal/file-layer.ts';
import { stateDigest } from '../../src/changes/log/state-digest.ts';
import { Content } from '../../src/content/content.ts';
import { ChangeWriter } from '../../src/content/live/change-writer.ts';
import { Publisher } from '../../src/content/publishing/publisher.ts';
import { changeLoadedInSteps } from '../../src/content/versions/change-loaded.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { readOptions } from '../../src/model/settings/read-config.ts';
import { checkAppend } from '../../src/publication/check-append.ts';
import {
  type Head,
  type Member,
  PublicationError,
  type PublishedChange,
  type PublishedState,
  type Refused,
} from '../../src/publication/publication.ts';
import { isSameState, stateAfter } from '../../src/publication/states.ts';
import { createLog } from '../../src/server/log/log.ts';
import type { SimulatedDisk } from '../journal/simulated-disk.ts';
import { MemoryPublication } from '../replica/memory-publication.ts';
import { temporaryFolder } from '../support/folders.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openJournaled, writeOn } from '../support/journaled.ts';

export const things = (...titles: string[]) =>
  thingSnapshot(
    { title: { type: 'string' } },
    titles.map((title, i) => ({ documentId: `d${i}`, title })),
  );

/** How an append fails: before it is sent, or its answer is lost when it is done or not done. */
type Failure = 'away' | 'lost, done' | 'lost, not done';

/** A publication whose appends fail as a test says, one failure after the other. */
export class FailingPublication extends MemoryPublication {
  readonly failures: Failure[] = [];
  readonly members: Member[] = [];
  /** States that heads had, in order. */
  readonly states: PublishedState[] = [];

  override async appendIf(
    expected: PublishedState | null,
    head: Head,
    changes: readonly PublishedChange[] = [],
  ): Promise<Refused | null> {
    checkAppend(expected, head, changes);
    const failure = this.isAway ? 'away' : this.failures.shift();
    if (failure === 'away') throw new PublicationError('it cannot be reached');
    if (failure === 'lost, not done') throw new PublicationError('the answer is lost', { outcome: 'unknown' });
    if (this.#hasLostLog) {
      if (expected !== null) return { head: null };
      this.head = null;
    }
    const refused = await super.appendIf(expected, head, structuredClone(changes));
    if (!refused) this.states.push(head);
    if (failure === 'lost, done') throw new PublicationError('the answer is lost', { outcome: 'unknown' });
    return structuredClone(refused);
  }

  /** Whether the log does not lead to the head any more: appends take it for none. */
  get #hasLostLog(): boolean {
    const { head, log } = this;
    const last = log.at(-1);
    return head !== null && head.sequence > head.image.sequence && !(last && isSameState(stateAfter(last), head));
  }

  /** Returns the titles that image and log lead to. Throws if they do not lead to the head. */
  async read(): Promise<string[]> {
    const { image } = this.head!;
    const path = `${temporaryFolder()}/image.lectern`;
    await this.getImage(image, path);
    let loaded = await loadSnapshot(path, {});
    let state: PublishedState = image;
    if (stateDigest(loaded) !== image.digest) throw new Error('the image has other content');
    for (const change of this.log.filter(({ sequence }) => sequence > image.sequence)) {
      if (change.digests.before !== state.digest) throw new Error('the log has a gap');
      loaded = runAtOnce(changeLoadedInSteps(loaded, change.changes as Batch, { drafts: false } as never));
      state = { epoch: change.epoch, sequence: change.sequence, digest: stateDigest(loaded) };
    }
    if (!isSameState(state, this.head)) throw new Error('the head is elsewhere');
    return titlesOf(new Content(loaded, settings, 0));
  }
}

const settings = readOptions({ public: true });

export const titlesOf = (content: Content): string[] =>
  content.find('things', { sort: 'documentId' }).data.map(({ title }: { title: string }) => title);

const log = createLog({ level: 'silent', format: 'json' } as never);
let members = 0;

export interface Running {
  readonly content: Content;
  readonly changes: ChangeWriter;
  readonly publisher: Publisher;
  /** Gives the first thing a title. */
  retitle(title: string, key?: string): Promise<unknown>;
  /** Takes what others have published. */
  watch(): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  readonly disk?: SimulatedDisk;
  readonly source?: string;
  readonly content?: Content;
  /** Milliseconds for another publisher to end. */
  readonly others?: number;
  /** Called before anything is published. */
  begins?(changes: ChangeWriter): void;
}

/** Starts a publisher of things. */
export async function start(
  publication: FailingPublication,
  snapshot: ReturnType<typeof things>,
  { disk, source = JSON.stringify(snapshot), content: given, others = 600, begins }: Parts = {},
): Promise<Running> {
  const journaled = disk ? await openJournaled(disk, snapshot) : null;
  const content = given ?? journaled?.content ?? new Content(await loadSnapshot(snapshot), settings, 0);
  const changes = new ChangeWriter(content, async () => {}, journaled?.opened ?? null, { limit: Infinity });
  const memberId = `member ${++members}`;
  const publisher = new Publisher({
    publication,
    presence: { renew: async () => {}, members: async () => publication.members, leave: async () => {} },
    name: 'site',
    memberId,
    folder: temporaryFolder(),
    settings: 'settings',
    source,
    isFollowed: false,
    log,
    write: writeOn(nodeFiles),
    times: { outcome: 300, others },
  });
  publication.members.push({ id: memberId, role: 'publisher', name: memberId, version: null, startedAt: 0 });
  const end = () => {
    const place = publication.members.findIndex(({ id }) => id === memberId);
    if (place >= 0) publication.members.splice(place, 1);
  };
  begins?.(changes);
  try {
    await changes.publish(publisher, { spread: async () => {}, load: (path) => loadSnapshot(path, {}) });
  } catch (error) {
    end();
    await changes.close();
    throw error;
  }
  return {
    content,
    changes,
    publisher,
    retitle: (title, key) => {
      const given = [{ patch: 'api::thing.thing', documentId: 'd0', set: { title } }];
      return changes.change({ previous: null, form: 'changes', given }, key ? { key, digest: title } : null);
    },
    watch: () => changes.settlePublication(),
    close: async () => {
      end();
      await changes.close();
    },
  };
}
