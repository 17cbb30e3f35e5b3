import type { Data, Strapi } from '../fill/strapi.ts';
import type { AttributeDefinition } from '../model/definitions.ts';
import type { RowBuffer } from './buffer.ts';
import type { Documents } from './documents.ts';
import { type Entry, fileType } from './snapshot.ts';

/** One end of a polymorphic relation, in the snapshot. */
export interface PolymorphicReference {
  __type: string;
  documentId: string;
}

/** Adds what rows lead to: relations, files, and components, which become rows of their own. */
export class Linker {
  readonly #strapi: Strapi;
  readonly #documents: Documents;
  readonly #buffer: RowBuffer;
  /** The last id of each component. */
  readonly #ids = new Map<string, number>();
  /** How many rows lead to one already: the next takes the place behind them. */
  readonly #places = new Map<string, Map<number, number>>();

  constructor(strapi: Strapi, documents: Documents, buffer: RowBuffer) {
    this.#strapi = strapi;
    this.#documents = documents;
    this.#buffer = buffer;
  }

  /** Of a row of a type or component; `values` are as they stand in the snapshot. It is, or stands in, `entry`. */
  add(uid: string, id: number, values: Data, entry: Entry): void {
    const { attributes } = this.#strapi.contentTypes[uid] ?? this.#strapi.components[uid];
    for (const [name, attribute] of Object.entries(attributes)) {
      const value = values[name];
      if (value === undefined || value === null) continue;
      const row = { uid, id, name };
      const items = [value].flat();
      if (attribute.type === 'media') this.#addFiles(row, items as string[], entry);
      else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
        this.#addComponents(row, attribute, items as Data[], entry);
      } else if (attribute.relation === 'morphToMany') {
        this.#addPolymorphic(row, items as PolymorphicReference[], entry);
      } else if (attribute.type === 'relation' && attribute.relation !== 'morphToOne') {
        this.#addRelation(row, attribute, items as string[], entry);
      }
    }
  }

  /** The one row that a polymorphic reference leads to: the published one, if there is one. */
  polymorphic({ uid, version }: Entry, { __type, documentId }: PolymorphicReference): Data | null {
    const versions = this.#documents.meant(uid, version, __type, documentId);
    const meant = versions.find(({ published }) => published) ?? versions.at(0);
    return meant ? { id: meant.id, __type } : null;
  }

  #addRelation(row: Row, attribute: AttributeDefinition, items: string[], { uid, version }: Entry): void {
    const table = this.#table(row);
    const target = attribute.target as string;
    const meant = items.flatMap((documentId) => this.#documents.meant(uid, version, target, documentId));
    for (const [index, { id }] of meant.entries()) {
      const link: Data = { [table.joinColumn.name]: row.id, [table.inverseJoinColumn.name]: id };
      if (table.orderColumnName) link[table.orderColumnName] = index + 1;
      if (table.inverseOrderColumnName) link[table.inverseOrderColumnName] = this.#nextPlace(table.name, id);
      this.#buffer.addLink(table.name, link);
    }
  }

  /** The other side finds those rows that carry the name of its attribute. */
  #addPolymorphic(row: Row, items: PolymorphicReference[], entry: Entry): void {
    const { name, joinColumn, morphColumn } = this.#table(row);
    for (const [index, item] of items.entries()) {
      const meant = this.polymorphic(entry, item);
      if (!meant) continue;
      const others = Object.entries(this.#strapi.contentTypes[item.__type].attributes);
      const other = others.find(([, { target, morphBy }]) => target === row.uid && morphBy === row.name);
      this.#buffer.addLink(name, {
        [joinColumn.name]: row.id,
        [morphColumn!.idColumn.name]: meant.id,
        [morphColumn!.typeColumn.name]: item.__type,
        field: other?.[0] ?? null,
        order: index + 1,
      });
    }
  }

  #addFiles({ uid, id, name }: Row, items: string[], { uid: entryType, version }: Entry): void {
    const table = this.#table({ uid: fileType, id, name: 'related' });
    for (const [index, documentId] of items.entries()) {
      const [file] = this.#documents.meant(entryType, version, fileType, documentId);
      const link = { file_id: file.id, related_id: id, related_type: uid, field: name, order: index + 1 };
      this.#buffer.addLink(table.name, link);
    }
  }

  #addComponents(row: Row, attribute: AttributeDefinition, items: Data[], entry: Entry): void {
    const table = this.#table(row);
    const isList = attribute.type === 'dynamiczone' || attribute.repeatable === true;
    for (const [index, item] of items.entries()) {
      const uid = (item.__component ?? attribute.component) as string;
      const id = (this.#ids.get(uid) ?? 0) + 1;
      this.#ids.set(uid, id);
      this.#buffer.addRow(uid, { ...item, id });
      const link: Data = { entity_id: row.id, cmp_id: id, component_type: uid, field: row.name };
      this.#buffer.addLink(table.name, isList ? { ...link, order: index + 1 } : link);
      this.add(uid, id, item, entry);
    }
  }

  #table({ uid, name }: Row) {
    const table = this.#strapi.db.metadata.get(uid).attributes[name].joinTable;
    if (!table) throw new Error(`${uid} has no table for ${name}: is it the side that owns the relation?`);
    return table;
  }

  #nextPlace(table: string, id: number): number {
    const places = this.#places.get(table) ?? new Map<number, number>();
    this.#places.set(table, places);
    const place = (places.get(id) ?? 0) + 1;
    places.set(id, place);
    return place;
  }
}

/** An attribute of a row. */
interface Row {
  uid: string;
  id: number;
  name: string;
}
