import type { Attribute, Snapshot } from '../naive/snapshot.ts';
import { componentTypes, contentTypes, isScalar } from '../naive/types.ts';

export type Values = Record<string, unknown>;

/** One link, as a batch and the links of an export give it. */
export interface LinkTarget {
  type: string;
  id: number;
  position: number;
  inversePosition: number;
  inverse?: string;
}

export interface BatchEntity {
  type: string;
  id: number;
  data: Values | null;
}

export interface BatchLinks {
  type: string;
  id: number;
  attribute: string;
  targets: LinkTarget[];
}

/** Changes, in the form that `content.apply` takes. */
export interface Batch {
  entities: BatchEntity[];
  links: BatchLinks[];
}

/** A row, as a key of maps. */
export const keyOf = (type: string, id: number) => `${type} ${id}`;

export const USERS = 'plugin::users-permissions.user';
export const ROLES = 'plugin::users-permissions.role';
export const PERMISSIONS = 'plugin::users-permissions.permission';
export const LOCALES = 'plugin::i18n.locale';

/** The owning attributes that the types of Strapi's plugins have beside those of `naive/types.ts`. */
const pluginAttributes: Record<string, Record<string, Attribute>> = {
  [USERS]: { role: { type: 'relation', relation: 'manyToOne', target: ROLES, inversedBy: 'users' } },
  [ROLES]: {},
  [PERMISSIONS]: { role: { type: 'relation', relation: 'manyToOne', target: ROLES } },
  [LOCALES]: {},
};

/** Content as plain maps of rows and links. It changes as a batch says, and knows nothing of the engine. */
export class Model {
  /** The content types and components. Its entries are those that the content began with. */
  readonly snapshot: Snapshot;
  /** The live entries of each content type by id: `data` as in an export, with components nested. */
  readonly entities = new Map<string, Map<number, Values>>();
  /** The links of each row and owning attribute, by row and then attribute. Lists without links are left out. */
  readonly links = new Map<string, Map<string, LinkTarget[]>>();
  /** All ids that were ever used, by type. */
  readonly #used = new Map<string, Set<number>>();
  readonly #attributes: ReadonlyMap<string, Record<string, Attribute>>;
  /** The keys of the live rows, components among them. Null: not yet known. */
  #live: Set<string> | null = null;

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    const types = { ...contentTypes(snapshot), ...componentTypes(snapshot) };
    this.#attributes = new Map([
      ...Object.entries(pluginAttributes),
      ...Object.values(types).map(({ uid, attributes }) => [uid, { ...attributes, ...pluginAttributes[uid] }] as const),
    ]);
    for (const uid of [...Object.keys(contentTypes(snapshot)), ROLES, PERMISSIONS, LOCALES]) {
      this.entities.set(uid, new Map());
    }
  }

  clone(): Model {
    const copy = new Model(this.snapshot);
    for (const [type, rows] of this.entities) copy.entities.set(type, new Map(rows));
    for (const [row, lists] of this.links) copy.links.set(row, new Map(lists));
    for (const [type, ids] of this.#used) copy.#used.set(type, new Set(ids));
    return copy;
  }

  attributesOf(uid: string): Record<string, Attribute> {
    return this.#attributes.get(uid)!;
  }

  rows(uid: string): ReadonlyMap<number, Values> {
    return this.entities.get(uid)!;
  }

  /** All ids that a type ever had. */
  used(uid: string): ReadonlySet<number> {
    return this.#used.get(uid) ?? new Set();
  }

  /** Whether the row is an entry, or a component of one. */
  isLive(type: string, id: number): boolean {
    return this.#liveRows().has(keyOf(type, id));
  }

  linksOf(type: string, id: number, attribute: string): readonly LinkTarget[] {
    return this.links.get(keyOf(type, id))?.get(attribute) ?? [];
  }

  /** The names of the attributes whose links a type owns, those to components left out. */
  linkNames(uid: string): string[] {
    return Object.entries(this.attributesOf(uid)).flatMap(([name, attribute]) => (ownsLinks(attribute) ? [name] : []));
  }

  /** All rows of a value with its components, each with its type and id. */
  *rowsIn(type: string, id: number, data: Values): Generator<{ type: string; id: number; data: Values }> {
    yield { type, id, data };
    for (const { uid, item } of this.components(type, data)) yield* this.rowsIn(uid, item.id as number, item);
  }

  /** The components of a row, without those nested in them. */
  *components(type: string, data: Values): Generator<{ name: string; uid: string; item: Values }> {
    for (const [name, attribute] of Object.entries(this.attributesOf(type))) {
      if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') continue;
      for (const item of [data[name] ?? []].flat() as Values[]) {
        yield { name, uid: attribute.component ?? (item.__component as string), item };
      }
    }
  }

  apply({ entities, links }: Batch): void {
    const earlier = this.#liveRows();
    for (const { type, id, data } of entities) {
      if (data === null) this.entities.get(type)!.delete(id);
      else this.entities.get(type)!.set(id, structuredClone(data));
      if (data !== null) for (const row of this.rowsIn(type, id, data)) this.#use(row.type, row.id);
    }
    this.#live = null;
    const live = this.#liveRows();
    const dead = new Set([...earlier].filter((row) => !live.has(row)));
    if (dead.size > 0) this.#removeLinks(dead);
    for (const { type, id, attribute, targets } of links) {
      const row = keyOf(type, id);
      const lists = new Map(this.links.get(row));
      lists.set(attribute, structuredClone(targets));
      this.links.set(row, lists);
    }
  }

  #use(type: string, id: number): void {
    const ids = this.#used.get(type) ?? new Set();
    this.#used.set(type, ids.add(id));
  }

  /** Removes the links from and to rows. */
  #removeLinks(dead: ReadonlySet<string>): void {
    for (const [row, lists] of this.links) {
      if (dead.has(row)) this.links.delete(row);
      else if (Array.from(lists.values()).some((list) => list.some(({ type, id }) => dead.has(keyOf(type, id))))) {
        const left = Array.from(lists, ([name, list]) => {
          return [name, list.filter(({ type, id }) => !dead.has(keyOf(type, id)))] as const;
        });
        this.links.set(row, new Map(left));
      }
    }
  }

  #liveRows(): Set<string> {
    if (this.#live) return this.#live;
    const live = new Set<string>();
    for (const [type, rows] of this.entities) {
      for (const [id, data] of rows) for (const row of this.rowsIn(type, id, data)) live.add(keyOf(row.type, row.id));
    }
    this.#live = live;
    return live;
  }
}

/** Whether the links of an attribute are given by its own side; those to components follow from the entry. */
export function ownsLinks(attribute: Attribute): boolean {
  return (
    !isScalar(attribute) &&
    !attribute.mappedBy &&
    !attribute.morphBy &&
    attribute.type !== 'component' &&
    attribute.type !== 'dynamiczone'
  );
}
