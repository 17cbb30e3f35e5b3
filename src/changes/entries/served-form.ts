/** Reads entries as the API answers with them: without what follows from other entries. */
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { describeInvalidKey } from '../../load/entry-writer.ts';
import {
  type EntryType,
  fileType,
  isLocalizations,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
} from '../../model/schema/schema.ts';
import { creatorNames } from '../../model/schema/type-definition.ts';
import { collectionsOf, targetsOf } from '../../store/links/adjacency.ts';
import { jsonOf, readText } from '../../store/read-value.ts';
import { rowsOfDocument } from '../../store/rows-of-document.ts';
import { rowOfId } from '../../store/segment.ts';
import { collectionOf, type Store, segmentOf } from '../../store/store.ts';
import { withoutMediaUrl } from '../../store/writer/rows/media-urls.ts';
import type { BatchOptions } from '../batch/batch-options.ts';
import { storedVersion } from '../batch/changed-rows.ts';
import { idOfRow } from '../batch/stored-links.ts';
import type { WrittenValues } from './written-entries.ts';

/** A row that a derived attribute shows. */
interface ShownRow {
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly published: boolean;
  readonly id: number;
}

export class ServedForm {
  readonly #store: Store;
  readonly #problems: Problems;
  readonly #addresses: BatchOptions['addresses'];

  constructor(store: Store, problems: Problems, { addresses }: Pick<BatchOptions, 'addresses'>) {
    this.#store = store;
    this.#problems = problems;
    this.#addresses = addresses;
  }

  /**
   * Returns the values of an entry or component as a JSON snapshot holds them; the same object if they are so already.
   * `row` is the row that they replace. Reports derived attributes that differ from what is stored.
   */
  written(type: EntryType, values: WrittenValues, row: number | undefined, location: string): WrittenValues {
    let written = values;
    const write = (name: string, value: unknown) => {
      if (written === values) written = { ...values };
      if (value === undefined) delete written[name];
      else written[name] = value;
    };
    for (const name in values) {
      if (!Object.hasOwn(values, name)) continue;
      const value = values[name];
      const attribute = type.attributes.get(name);
      if (creatorNames.has(name)) {
        if (value === null) write(name, undefined);
      } else if (!attribute || isScalar(attribute)) {
        if (type.uid === fileType && value !== null) write(name, this.#withoutMediaUrl(name, value, row));
      } else if (attribute.kind === 'component' || attribute.kind === 'dynamiczone') {
        const components = this.#components(attribute, value, `${location}, attribute ${name}`);
        if (components !== value) write(name, components);
      } else if (!attribute.owner) {
        this.#checkDerived(type, attribute, value, row, location);
        write(name, undefined);
      }
    }
    return written;
  }

  #components(attribute: LinkAttribute, value: unknown, location: string): unknown {
    const items = [value].flat();
    const written = items.map((item, i) => {
      const uid = isPolymorphic(attribute) ? isPlainObject(item) && item.__component : attribute.target;
      const type = typeof uid === 'string' ? this.#store.schema.types.get(uid) : undefined;
      if (!isPlainObject(item) || type?.kind !== 'component') return item;
      const at = attribute.many ? `${location}[${i}]` : location;
      if ((item.__component ?? uid) !== uid) {
        this.#problems.add(at, `"__component" must be ${uid}, not ${preview(item.__component)}`);
      }
      const { id } = item;
      const row = typeof id === 'number' ? rowOfId(segmentOf(this.#store, type.uid), id) : undefined;
      return this.written(type, item, row, at);
    });
    if (written.every((item, i) => item === items[i])) return value;
    return Array.isArray(value) ? written : written[0];
  }

  /** Returns the address of a file as it was given, in place of the one that replies show. */
  #withoutMediaUrl(name: string, value: unknown, row: number | undefined): unknown {
    const { mediaUrl } = this.#addresses;
    if (mediaUrl === undefined) return value;
    if (name === 'formats') return withoutMediaUrl(mediaUrl)(value);
    if ((name !== 'url' && name !== 'previewUrl') || row === undefined) return value;
    const segment = segmentOf(this.#store, fileType);
    const { rows, at } = jsonOf(segment, row);
    return rows.names.includes(name) && rows.value(at, name) === value ? readText(segment, row, name) : value;
  }

  /** Reports an attribute that shows other entries than those that refer to the entry. */
  #checkDerived(
    type: EntryType,
    attribute: LinkAttribute,
    value: unknown,
    row: number | undefined,
    location: string,
  ): void {
    const shown = row === undefined ? [] : this.#shown(type, attribute, row);
    const items = [value ?? []].flat();
    const difference = isLocalizations(attribute) ? otherLocale(items, shown) : otherDocument(items, shown);
    if (difference === null) return;
    const rule = isLocalizations(attribute)
      ? `attribute "${attribute.name}" is derived from the entries of the document in other locales`
      : describeInvalidKey(type, attribute.name, attribute)!();
    this.#problems.add(location, () => `${rule}. It ${difference}: leave it out`);
  }

  /** The entries that a derived attribute shows for a row. */
  #shown(type: EntryType, attribute: LinkAttribute, row: number): ShownRow[] {
    if (isLocalizations(attribute)) {
      const { documentId, published } = storedVersion(this.#store, type.uid, row);
      const rows = documentId === null ? [] : rowsOfDocument(segmentOf(this.#store, type.uid), documentId);
      const others = rows.filter((other) => other !== row);
      return others.map((other) => this.#shownRow(type.uid, other)).filter((other) => other.published === published);
    }
    const collection = collectionOf(this.#store, type.uid);
    const polymorphic = collection.polymorphic.get(attribute.name);
    const links = polymorphic ?? collection.links.get(attribute.name)?.forward;
    if (!links) return [];
    const collections = polymorphic && collectionsOf(polymorphic, row);
    return Array.from(targetsOf(links, row)).flatMap((target, i) => {
      const number = collections?.[i];
      const uid = number === undefined ? targetOf(attribute) : this.#store.collections[number].type.uid;
      return segmentOf(this.#store, uid).isLive(target) ? [this.#shownRow(uid, target)] : [];
    });
  }

  #shownRow(uid: string, row: number): ShownRow {
    return { ...storedVersion(this.#store, uid, row), id: idOfRow(segmentOf(this.#store, uid), row) };
  }
}

function targetOf(attribute: LinkAttribute): string {
  return isPolymorphic(attribute) ? '' : attribute.target;
}

/**
 * Describes how listed documents differ from those that a derived attribute shows, in every status or in one. Null if
 * they do not.
 */
function otherDocument(items: readonly unknown[], shown: readonly ShownRow[]): string | null {
  const listed = items.map((item) => (isPlainObject(item) ? item.documentId : item));
  const views = [shown, shown.filter(({ published }) => published), shown.filter(({ published }) => !published)];
  const documents = views.map((view) => new Set<unknown>(view.map(({ documentId }) => documentId)));
  const distinct = new Set(listed);
  if (documents.some((view) => view.size === distinct.size && [...view].every((id) => distinct.has(id)))) return null;
  const foreign = listed.findIndex((id) => !documents[0].has(id));
  if (foreign >= 0) return `holds ${preview(listed[foreign] ?? items[foreign])}, which does not refer to this entry`;
  const missing = [...documents[0]].find((id) => !distinct.has(id));
  return `lacks ${preview(missing)}, which refers to this entry`;
}

/** The same for localizations, which are listed with their locales. */
function otherLocale(items: readonly unknown[], shown: readonly ShownRow[]): string | null {
  const listed = items.map((item) => (isPlainObject(item) ? item.locale : item));
  const locales = new Set<unknown>(shown.map(({ locale }) => locale));
  const foreign = listed.findIndex((locale) => !locales.has(locale));
  if (foreign >= 0) {
    return `holds ${preview(listed[foreign] ?? items[foreign])}, in which the document has no other entry`;
  }
  const missing = [...locales].find((locale) => !listed.includes(locale));
  return missing === undefined ? null : `lacks ${preview(missing)}`;
}
