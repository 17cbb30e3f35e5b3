import { mapAt } from '../../core/map-at.ts';
import type { Problems } from '../../core/problems.ts';
import { describeMissing, itemLocation, matchesVersion, readReferences } from '../../load/json/references.ts';
import { type EntryType, isPolymorphic, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import { rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { type ChangeReference, readChangeReference } from '../entries/change-reference.ts';
import { KeptReference } from '../entries/kept-reference.ts';
import { type BatchLinks, batchLimits, type LinkTarget } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
import { storedVersion } from './changed-rows.ts';
import { type EntryNode, nodesOf } from './entry-tree.ts';
import type { ChangePlan, DocumentEntry, PlannedEntry } from './plan-changes.ts';
import { areSameLinks, idOfRow, relationAttributes, storedLinks } from './stored-links.ts';
import { UnlinkedReferences } from './unlinked.ts';

/** The entry that refers to others. */
type Referring = Parameters<typeof matchesVersion>[0];

/** Resolves the references of entries against a store as it is after changes, as a JSON snapshot resolves them. */
export class LinkResolver {
  readonly #store: Store;
  readonly #plan: ChangePlan;
  readonly #nodes: ReadonlyMap<PlannedEntry, EntryNode>;
  readonly #problems: Problems;
  readonly #showsDrafts: boolean;
  readonly unlinked: UnlinkedReferences;
  /** The entries of the documents that were referred to, by uid and documentId. */
  readonly #documents = new Map<string, DocumentEntry[]>();
  #linkCount = 0;

  /** `nodes` are those of all planned entries, with their ids. */
  constructor(
    store: Store,
    plan: ChangePlan,
    nodes: ReadonlyMap<PlannedEntry, EntryNode>,
    problems: Problems,
    { drafts = false }: Pick<BatchOptions, 'drafts'>,
  ) {
    this.#store = store;
    this.#plan = plan;
    this.#nodes = nodes;
    this.#problems = problems;
    this.#showsDrafts = drafts;
    this.unlinked = new UnlinkedReferences(store.defaultLocale);
  }

  /**
   * Returns the lists of links that an entry changes: its own and those of its components. All lists together hold at
   * most one link more than the limit of a batch. References after that are not resolved.
   */
  linksOf(entry: PlannedEntry): BatchLinks[] {
    return Array.from(nodesOf(this.#nodes.get(entry)!)).flatMap((node) =>
      relationAttributes(this.#store.schema, node.type).flatMap((attribute) => {
        const { type, id, row } = node;
        if (entry.keepsLinks && !Object.hasOwn(node.values, attribute.name)) return [];
        const stored = row === undefined ? [] : storedLinks(this.#store, type, attribute, row);
        const targets = this.#targets(entry, node, attribute, stored);
        if (areSameLinks(stored, targets) || this.#isSameList(attribute, stored, targets)) return [];
        return { type: type.uid, id, attribute: attribute.name, targets };
      }),
    );
  }

  #targets(
    entry: PlannedEntry,
    { references }: EntryNode,
    attribute: LinkAttribute,
    stored: readonly LinkTarget[],
  ): LinkTarget[] {
    const reference = references.find((each) => each.attribute === attribute);
    if (!reference) return [];
    const { value, location } = reference;
    const { schema } = this.#store;
    const from = { type: entry.type, published: entry.version.published, locale: entry.version.locale };
    const known = new StoredPositions(stored);
    const targets: LinkTarget[] = [];
    const add = (type: string, id: number, position: number) => {
      if (++this.#linkCount > batchLimits.targets + 1) return;
      targets.push({ type, id, position, ...known.take(type, id) });
    };
    const take = (position: number, reference: ChangeReference | KeptReference) => {
      if (this.#linkCount > batchLimits.targets) return;
      if (reference instanceof KeptReference) {
        for (const { type, id } of this.#livingLinks(reference.links)) add(type, id, position);
        return;
      }
      const { type, documentId } = reference;
      const key = `${type.uid} ${documentId}`;
      const found = mapAt(this.#documents, key, () => this.#plan.entriesOf(type, documentId));
      const place = () => location + itemLocation(attribute, position);
      if (found.length === 0) this.#problems.add(place(), describeMissing({ type, documentId }));
      const ids = this.#matching(found, from, reference).map((target) => this.#idOf(type, target));
      const named = this.#namedLinks(stored, reference).map(({ id }) => id);
      const targets = named.length > 0 && !named.some((id) => ids.includes(id)) ? named : ids;
      for (const id of targets) add(type.uid, id, position);
      if (found.length > 0 && targets.length === 0) this.unlinked.add(place(), from, type, documentId);
    };
    readReferences(schema, attribute, value, location, this.#problems, take, readItem);
    const compare = isPolymorphic(attribute) ? comparePolymorphic : compareLinks;
    return targets.sort(compare);
  }

  #idOf(type: EntryType, target: DocumentEntry): number {
    return target.row === undefined
      ? this.#nodes.get(target.entry)!.id
      : idOfRow(segmentOf(this.#store, type.uid), target.row);
  }

  /** Returns the entries of a document that a reference leads to. */
  #matching(
    entries: readonly DocumentEntry[],
    from: Referring,
    { type, locale = this.#store.defaultLocale, status }: ChangeReference,
  ): readonly DocumentEntry[] {
    const onlyPublished = from.type.draftAndPublish || status === undefined ? undefined : status === 'published';
    const matching = (referring: Referring) =>
      entries.filter(
        (target) =>
          matchesVersion(referring, { ...target, type }, locale) &&
          (onlyPublished === undefined || target.published === onlyPublished),
      );
    const found = matching(from);
    return found.length > 0 || !this.#showsDrafts ? found : matching({ ...from, published: !from.published });
  }

  /**
   * Returns the stored links that a reference names by locale and status. Databases hold links to entries that a documentId
   * does not lead to, such as from a published entry to a draft.
   */
  #namedLinks(stored: readonly LinkTarget[], { type, documentId, locale, status }: ChangeReference): LinkTarget[] {
    const namesLocale = type.localized && locale !== undefined;
    const namesStatus = type.draftAndPublish && status !== undefined;
    if (namesLocale !== type.localized || namesStatus !== type.draftAndPublish) return [];
    return this.#livingLinks(stored).filter((link) => {
      if (link.type !== type.uid) return false;
      const version = storedVersion(this.#store, type.uid, rowOfId(segmentOf(this.#store, type.uid), link.id)!);
      const isOfLocale = !namesLocale || version.locale === locale;
      const isOfStatus = !namesStatus || version.published === (status === 'published');
      return version.documentId === documentId && isOfLocale && isOfStatus;
    });
  }

  /** Returns the stored links whose targets live after the changes. */
  #livingLinks(links: readonly LinkTarget[]): LinkTarget[] {
    const { deleted } = this.#plan;
    return links.filter(({ type, id }) => {
      const row = rowOfId(segmentOf(this.#store, type), id);
      return row !== undefined && !deleted.get(this.#store.schema.type(type))?.has(row);
    });
  }

  /**
   * Whether a list has the stored links and names documents in their order. It then stays as it is, because the entries of
   * one document may stand in any order. Of an attribute of one reference, only links to the first document count: replies
   * show no others.
   */
  #isSameList({ many }: LinkAttribute, all: readonly LinkTarget[], targets: readonly LinkTarget[]): boolean {
    const stored = many ? all : all.filter((link) => this.#documentOf(link) === this.#documentOf(all[0]));
    if (stored.length !== targets.length || stored.length === 0) return false;
    const keys = (links: readonly LinkTarget[]) => links.map(({ type, id }) => `${type} ${id}`).sort();
    const others = keys(targets);
    if (!keys(stored).every((key, i) => key === others[i])) return false;
    const documents = (links: readonly LinkTarget[]) => [...new Set(links.map((link) => this.#documentOf(link)))];
    const otherDocuments = documents(targets);
    return documents(stored).every((document, i) => document === otherDocuments[i]);
  }

  #documentOf({ type, id }: LinkTarget): string {
    const row = rowOfId(segmentOf(this.#store, type), id)!;
    return `${type} ${storedVersion(this.#store, type, row).documentId ?? `#${id}`}`;
  }
}

function readItem(schema: Schema, attribute: LinkAttribute, item: unknown): ChangeReference | KeptReference | string {
  return item instanceof KeptReference ? item : readChangeReference(schema, attribute, item);
}

/** The stored positions of the links of a row among the sources of their targets. Links that stay keep them. */
class StoredPositions {
  readonly #links = new Map<string, LinkTarget[]>();

  constructor(links: readonly LinkTarget[]) {
    for (const link of links) mapAt(this.#links, `${link.type} ${link.id}`, () => []).push(link);
  }

  /** Returns the position of the next link to a target. A new link comes first among the sources. */
  take(type: string, id: number): Pick<LinkTarget, 'inversePosition' | 'inverse'> {
    const link = this.#links.get(`${type} ${id}`)?.shift();
    if (!link) return { inversePosition: 0 };
    const { inversePosition, inverse } = link;
    return inverse === undefined ? { inversePosition } : { inversePosition, inverse };
  }
}

function compareLinks(a: LinkTarget, b: LinkTarget): number {
  return a.position - b.position || a.id - b.id;
}

function comparePolymorphic(a: LinkTarget, b: LinkTarget): number {
  return a.position - b.position || a.inversePosition - b.inversePosition || a.id - b.id;
}
