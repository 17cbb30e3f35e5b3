/** Reads stored entries in the form in which JSON snapshots and changes write them. */
import { mapAt } from '../../core/map-at.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { matchesVersion } from '../../load/json/references.ts';
import {
  type EntryType,
  fileType,
  isLocalizations,
  isPolymorphic,
  isScalar,
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
import { componentAttributes, idOfRow, ownsLinks, relationAttributes, storedLinks } from '../batch/stored-links.ts';
import { KeptReference } from './kept-reference.ts';

/** An entry or component as JSON. */
export type WrittenValues = Record<string, unknown>;

/** What decides how entries are written, besides the store. */
export type WritingOptions = Pick<BatchOptions, 'kind' | 'roles' | 'blockedUsers' | 'addresses'>;

/** Writes the links of a row in an attribute. Returns undefined to leave the attribute out. */
type WriteLinks = (type: EntryType, attribute: LinkAttribute, row: number) => unknown;

/** Reads the links of a row, as `storedLinks`. */
type ReadLinks = (type: EntryType, attribute: LinkAttribute, row: number) => LinkTarget[];

interface ReferringEntry {
  readonly type: EntryType;
  readonly version: RowVersion;
}

export class WrittenEntries {
  readonly #store: Store;
  readonly #options: WritingOptions;
  readonly #linksOf: ReadLinks;
  /** Bytes of the JSON that was read. */
  bytes = 0;

  constructor(
    store: Store,
    options: WritingOptions,
    linksOf: ReadLinks = (type, attribute, row) => storedLinks(store, type, attribute, row),
  ) {
    this.#store = store;
    this.#options = options;
    this.#linksOf = linksOf;
  }

  /** Returns an entry that an upsert can send back. Whatever it does not hold is not in memory. */
  entry(type: EntryType, row: number): WrittenValues {
    const version = storedVersion(this.#store, type.uid, row);
    if (this.#options.kind === 'json' && type.uid === roleType) return this.#role(row);
    return this.#entry(type, version, row, (owner, attribute, at) => {
      const references = this.references(owner, attribute, at);
      const written = references.flatMap((reference) => this.#written({ type, version }, attribute, reference));
      return attribute.many ? written : (written[0] ?? null);
    });
  }

  /** Returns an entry as a JSON snapshot holds it: each link leads to the same entry, at the same places of both lists. */
  snapshotEntry(type: EntryType, row: number): WrittenValues {
    const version = storedVersion(this.#store, type.uid, row);
    const write: WriteLinks = (owner, attribute, at) => {
      const written = this.#writtenLinks({ type, version }, attribute, this.#linksOf(owner, attribute, at));
      // the database of a Strapi may hold several links in an attribute of one
      if (!attribute.many && written.length > 1)
        return written.map((one) => (isPlainObject(one) ? one : { documentId: one }));
      return attribute.many ? written : (written[0] ?? null);
    };
    const entry = this.#entry(type, version, row, write);
    const localizations = type.attributes.get('localizations');
    if (!localizations || isScalar(localizations) || !isLocalizations(localizations)) return entry;
    return ownsLinks(this.#store, type.uid, localizations)
      ? { ...entry, localizations: write(type, localizations, row) }
      : entry;
  }

  #entry(type: EntryType, version: RowVersion, row: number, writeLinks: WriteLinks): WrittenValues {
    const { id, documentId, locale, ...values } = this.#values(type, row, writeLinks);
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
    for (const link of this.#linksOf(type, attribute, row)) {
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
      const components = this.#linksOf(type, attribute, row).map((link) => {
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
  #written(from: ReferringEntry, attribute: LinkAttribute, { type: uid, documentId, links }: KeptReference): unknown[] {
    if (documentId === null) return [];
    const type = this.#store.schema.type(uid);
    const of = isPolymorphic(attribute) ? { __type: uid, documentId } : { documentId };
    const found = this.#referredTo(from, type, documentId);
    const ids = new Set(links.map(({ id }) => id));
    const isPlain = found.length === ids.size && found.every(({ id }) => ids.has(id));
    if (isPlain) return [isPolymorphic(attribute) ? of : documentId];
    return links.map((link) => {
      const { published, locale } = this.#versionOf(link);
      const status = published ? 'published' : 'draft';
      return { ...of, ...(type.localized && locale !== null && { locale }), ...(type.draftAndPublish && { status }) };
    });
  }

  /** Returns the references of a JSON snapshot that make these links of a row. */
  #writtenLinks(from: ReferringEntry, attribute: LinkAttribute, links: readonly LinkTarget[]): unknown[] {
    const written: unknown[] = [];
    for (let i = 0; i < links.length; ) {
      const link = links[i];
      const { documentId } = this.#versionOf(link);
      const type = this.#store.schema.type(link.type);
      const plain = documentId === null ? [] : this.#referredTo(from, type, documentId);
      const versions = new Set(plain.map(({ published, locale }) => `${published} ${locale}`));
      const isPlain =
        versions.size === plain.length &&
        plain.length > 0 &&
        plain.every(({ id }, k) => isAlike(link, links[i + k]) && links[i + k].id === id);
      const details = {
        ...(!isPlain && { id: link.id }),
        // files are listed by it among the uses
        ...(attribute.kind === 'media' && link.position !== written.length && { position: link.position }),
        ...(link.inversePosition !== 0 && { inversePosition: link.inversePosition }),
        ...(link.inverse !== undefined && { inverse: link.inverse }),
      };
      const named = {
        ...(isPolymorphic(attribute) && { __type: link.type }),
        ...(documentId !== null && { documentId }),
      };
      const isText = !isPolymorphic(attribute) && Object.keys(details).length === 0;
      written.push(isText ? documentId : { ...named, ...details });
      i += isPlain ? plain.length : 1;
    }
    return written;
  }

  /** Returns the entries to which a documentId alone leads, in the order of their ids. */
  #referredTo(from: ReferringEntry, type: EntryType, documentId: string): (RowVersion & { readonly id: number })[] {
    const segment = segmentOf(this.#store, type.uid);
    const referring = { ...from.version, type: from.type };
    return rowsOfDocument(segment, documentId)
      .map((row) => ({ ...storedVersion(this.#store, type.uid, row), id: idOfRow(segment, row) }))
      .filter((version) => matchesVersion(referring, { ...version, type }, this.#store.defaultLocale))
      .sort((one, other) => one.id - other.id);
  }

  #versionOf(link: LinkTarget): RowVersion {
    return storedVersion(this.#store, link.type, this.#rowOf(link));
  }

  #rowOf({ type, id }: LinkTarget): number {
    return rowOfId(segmentOf(this.#store, type), id)!;
  }
}

/** Whether one reference can make two links that follow each other. */
function isAlike(link: LinkTarget, other: LinkTarget | undefined): boolean {
  return (
    other !== undefined &&
    link.type === other.type &&
    link.inversePosition === other.inversePosition &&
    link.inverse === other.inverse
  );
}
