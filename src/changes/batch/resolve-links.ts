import { mapAt } from '../../core/map-at.ts';
import type { Problems } from '../../core/problems.ts';
import { describeMissing, itemLocation, matchesVersion, readReferences } from '../../load/json/references.ts';
import { type EntryType, isPolymorphic, type LinkAttribute } from '../../model/schema/schema.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { type BatchLinks, batchLimits, type LinkTarget } from './batch.ts';
import type { BatchOptions } from './batch-options.ts';
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
        const stored = row === undefined ? [] : storedLinks(this.#store, type, attribute, row);
        const targets = this.#targets(entry, node, attribute, stored);
        if (areSameLinks(stored, targets)) return [];
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
    readReferences(schema, attribute, value, location, this.#problems, (position, { type, documentId }) => {
      if (this.#linkCount > batchLimits.targets) return;
      const key = `${type.uid} ${documentId}`;
      const found = mapAt(this.#documents, key, () => this.#plan.entriesOf(type, documentId));
      const place = () => location + itemLocation(attribute, position);
      if (found.length === 0) this.#problems.add(place(), describeMissing({ type, documentId }));
      const matching = this.#matching(found, from, type);
      if (found.length > 0 && matching.length === 0) this.unlinked.add(place(), from, type, documentId);
      for (const target of matching) {
        if (++this.#linkCount > batchLimits.targets + 1) return;
        const id =
          target.row === undefined
            ? this.#nodes.get(target.entry)!.id
            : idOfRow(segmentOf(this.#store, type.uid), target.row);
        targets.push({ type: type.uid, id, position, ...known.take(type.uid, id) });
      }
    });
    const compare = isPolymorphic(attribute) ? comparePolymorphic : compareLinks;
    return targets.sort(compare);
  }

  /** Returns the entries of a document that a reference leads to. */
  #matching(entries: readonly DocumentEntry[], from: Referring, type: EntryType): readonly DocumentEntry[] {
    const { defaultLocale } = this.#store;
    const matching = (referring: Referring) =>
      entries.filter((target) => matchesVersion(referring, { ...target, type }, defaultLocale));
    const found = matching(from);
    return found.length > 0 || !this.#showsDrafts ? found : matching({ ...from, published: !from.published });
  }
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
