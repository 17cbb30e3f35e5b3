/** Reads stored entries in the form in which JSON snapshots and changes write them. */
import { mapAt } from '../../core/map-at.ts';
import { matchesVersion } from '../../load/json/references.ts';
import {
  type EntryType,
  fileType,
  isPolymorphic,
  type LinkAttribute,
  roleType,
  userType,
} from '../../model/schema/schema.ts';
import { jsonOf, readText } from '../../store/read-value.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { rowOfId } from '../../store/segment.ts';
import { type Store, segmentOf } from '../../store/store.ts';
import { withoutMediaUrl } from '../../store/writer/rows/media-urls.ts';
import type { LinkTarget } from '../batch/batch.ts';
import type { BatchOptions } from '../batch/batch-options.ts';
import { type RowVersion, storedVersion } from '../batch/changed-rows.ts';
import { componentAttributes, idOfRow, relationAttributes, storedLinks } from '../batch/stored-links.ts';
import { KeptReference } from './kept-reference.ts';

/** An entry or component as JSON. */
export type WrittenValues = Record<string, unknown>;

/** What decides how entries are written, besides the store. */
export type WritingOptions = Pick<BatchOptions, 'kind' | 'roles' | 'blockedUsers' | 'addresses'>;

/** Writes the links of a row in an attribute. Returns undefined to leave the attribute out. */
type WriteLinks = (type: EntryType, attribute: LinkAttribute, row: number) => unknown;

export class WrittenEntries {
  readonly #store: Store;
  readonly #options: WritingOptions;
  /** Bytes of the JSON that was read. */
  bytes = 0;

  constructor(store: Store, options: WritingOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Returns an entry that an upsert can send back. Whatever it does not hold is not in memory. */
  entry(type: EntryType, row: number): WrittenValues {
    const version = storedVersion(this.#store, type.uid, row);
    if (this.#options.kind === 'json' && type.uid === roleType) return this.#role(row);
    const { id, documentId, locale, ...values } = this.#values(type, row, (owner, attribute, at) => {
      const references = this.references(owner, attribute, at);
      const written = references.flatMap((reference) => this.#written({ type, version }, attribute, reference));
      return attribute.many ? written : (written[0] ?? null);
    });
    return {
      id,
      documentId,
      ...(type.draftAndPublish && { status: version.published ? 'published' : 'draft' }),
      ...(type.localized && { locale }),
      ...values,
    };
  }

  /** Returns the values and components of an entry, without its relations and theirs. */
  withoutLinks(type: EntryType, row: number): WrittenValues {
    return this.#values(type, row, () => undefined);
  }

  /** Returns the links of an entry or component in an attribute, by document. */
  references(type: EntryType, attribute: LinkAttribute, row: number): KeptReference[] {
    /** By uid and documentId: references to the document, each with links to different entries. */
    const known = new Map<string, { documentId: string | null; links: LinkTarget[] }[]>();
    const found: { type: string; documentId: string | null; links: LinkTarget[] }[] = [];
    for (const link of storedLinks(this.#store, type, attribute, row)) {
      const { documentId } = this.#versionOf(link);
      const same = documentId === null ? [] : mapAt(known, `${link.type} ${documentId}`, () => []);
      const open = same.find(({ links }) => links.every(({ id }) => id !== link.id));
      if (open) open.links.push(link);
      else {
        const reference = { type: link.type, documentId, links: [link] };
        same.push(reference);
        found.push(reference);
      }
    }
    return found.map(({ type, documentId, links }) => new KeptReference(type, documentId, links));
  }

  /** A JSON snapshot holds roles apart from their rows. */
  #role(row: number): WrittenValues {
    const type = readText(segmentOf(this.#store, roleType), row, 'type');
    return { ...this.#options.roles.find((role) => role.type === type) };
  }

  #values(type: EntryType, row: number, writeLinks: WriteLinks): WrittenValues {
    const { schema } = this.#store;
    const segment = segmentOf(this.#store, type.uid);
    const { rows, at } = jsonOf(segment, row);
    this.bytes += rows.bytesOf(at);
    const values: WrittenValues = {};
    for (const name of rows.names) values[name] = rows.value(at, name);
    if (type.uid === fileType) this.#restoreAddresses(values, row);
    if (type.uid === userType) this.#restoreBlocked(type, values);
    for (const attribute of componentAttributes(schema, type)) {
      const components = storedLinks(this.#store, type, attribute, row).map((link) => {
        const written = this.#values(schema.type(link.type), this.#rowOf(link), writeLinks);
        return isPolymorphic(attribute) ? { __component: link.type, ...written } : written;
      });
      values[attribute.name] = attribute.many ? components : (components[0] ?? null);
    }
    for (const attribute of relationAttributes(schema, type)) {
      const links = writeLinks(type, attribute, row);
      if (links !== undefined) values[attribute.name] = links;
    }
    return values;
  }

  /** Replies show the addresses of files with `mediaUrl`. */
  #restoreAddresses(values: WrittenValues, row: number): void {
    const { mediaUrl } = this.#options.addresses;
    if (mediaUrl === undefined) return;
    const segment = segmentOf(this.#store, fileType);
    for (const name of ['url', 'previewUrl']) {
      if (Object.hasOwn(values, name)) values[name] = readText(segment, row, name);
    }
    if (Object.hasOwn(values, 'formats')) values.formats = withoutMediaUrl(mediaUrl)(values.formats);
  }

  /** A private `blocked` has no column, but an upsert without it would let the user in. */
  #restoreBlocked({ attributes }: EntryType, values: WrittenValues): void {
    const { id, documentId } = values;
    if (!attributes.get('blocked')?.private) return;
    if (this.#options.blockedUsers.has(String(documentId ?? `#${id}`))) values.blocked = true;
  }

  /**
   * Returns what a change writes for a reference: a documentId if that leads to the same entries, otherwise an object with
   * the locale and status of each. Returns nothing for an entry without a documentId.
   */
  #written(
    from: { readonly type: EntryType; readonly version: RowVersion },
    attribute: LinkAttribute,
    { type: uid, documentId, links }: KeptReference,
  ): unknown[] {
    if (documentId === null) return [];
    const type = this.#store.schema.type(uid);
    const of = isPolymorphic(attribute) ? { __type: uid, documentId } : { documentId };
    const segment = segmentOf(this.#store, uid);
    const referring = { ...from.version, type: from.type };
    const found = rowsOfDocument(segment, documentId).filter((row) =>
      matchesVersion(referring, { ...storedVersion(this.#store, uid, row), type }, this.#store.defaultLocale),
    );
    const ids = new Set(links.map(({ id }) => id));
    const isPlain = found.length === ids.size && found.every((row) => ids.has(idOfRow(segment, row)));
    if (isPlain) return [isPolymorphic(attribute) ? of : documentId];
    return links.map((link) => {
      const { published, locale } = this.#versionOf(link);
      const status = published ? 'published' : 'draft';
      return { ...of, ...(type.localized && locale !== null && { locale }), ...(type.draftAndPublish && { status }) };
    });
  }

  #versionOf(link: LinkTarget): RowVersion {
    return storedVersion(this.#store, link.type, this.#rowOf(link));
  }

  #rowOf({ type, id }: LinkTarget): number {
    return rowOfId(segmentOf(this.#store, type), id)!;
  }
}
