import type { Content } from '../../content/content.ts';
import type { ContentEntry, Contents, ContentsChange } from '../../content/registry/contents.ts';
import { type DescribedSnapshot, describeSnapshot } from '../../load/thread/described-snapshot.ts';
import { versionText } from '../../store/content-version.ts';
import type { DescribedEntry, EntryChange } from './messages.ts';

/** Sends changes to every thread. Returns when all have made them. */
type Send = (changes: readonly EntryChange[]) => Promise<void>;

/** Keeps the contents of the threads that answer requests equal to those of the coordinating thread. */
export class SpreadContents {
  readonly #send: Send;
  #contents: Contents | null = null;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Sends the store of a content again after each compaction, while the content is served. */
  follow(content: Content): void {
    content.served.changes.listenToCompactions(() => {
      const entry = this.#contents?.all.find((each) => each.content === content);
      if (!entry) return;
      const { content: base, changes } = describe(content);
      const store = { content: base, changes };
      const version = versionText(content.served.version);
      void this.#send([{ kind: 'rebase', name: entry.name, store, version }]);
    });
  }

  /** Returns when every thread answers from these contents. Later changes of the registry follow. */
  async serve(contents: Contents): Promise<void> {
    this.#contents = contents;
    contents.onChange((change) => this.#send([described(change)]));
    await this.#send(this.entries().map((entry) => ({ kind: 'set', entry })));
  }

  /** What each content serves now: its base and the changes since. */
  entries(): DescribedEntry[] {
    return (this.#contents?.all ?? []).map(describeEntry);
  }
}

function described(change: ContentsChange): EntryChange {
  if (change.kind === 'delete') return change;
  if (change.kind === 'set') return { kind: 'set', entry: describeEntry(change.entry) };
  const { name, content } = change.entry;
  if (change.kind === 'pin') return { kind: 'pin', name, pinned: content && describePinned(content) };
  const { batch, version } = change;
  return { kind: 'apply', name, batch, version };
}

function describeEntry({ content, preview, source, ...entry }: ContentEntry): DescribedEntry {
  const described = { snapshot: content && describe(content), pinned: content && describePinned(content) };
  return { ...entry, ...described, ...(preview && { changes: preview.changes }) };
}

function describe({ served }: Content): DescribedSnapshot {
  const { loaded, version } = served;
  return describeSnapshot({ ...loaded, version });
}

function describePinned({ served, pinned }: Content): DescribedSnapshot | null {
  return pinned && describeSnapshot(served.active.loaded);
}
