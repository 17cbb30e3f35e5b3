import { mayFind } from './access.ts';
import type { Filter, Scope } from './filter.ts';
import { type Attribute, Unspecified } from './snapshot.ts';
import type { SortKey } from './sort.ts';
import { attributeOf, FILE, isPolymorphic, populatableNames, type Type } from './types.ts';

/** What one entry or component is served with. */
export interface Selection {
  /** Null for all of them. */
  fields: string[] | null;
  populate: Map<string, Populated>;
}

/** What one populated attribute is served with. */
export interface Populated extends Selection {
  filter: Filter | null;
  sort: SortKey[];
  count: boolean;
  /** The part of each parent's list that is served. */
  window: { start: number; limit: number } | null;
  /** Selection by component or content type; with it, every other one is left out. */
  on: Map<string, Selection> | null;
  /** `populate=*` of a zone or polymorphic relation, whose items are of several types. */
  everything: boolean;
}

/** A populated attribute without options. */
export function plain(): Populated {
  return {
    fields: null,
    populate: new Map(),
    filter: null,
    sort: [],
    count: false,
    window: null,
    on: null,
    everything: false,
  };
}

/** `populate=*`. */
export function readEverything(scope: Scope, type: Type): Map<string, Populated> {
  const populate = new Map<string, Populated>();
  for (const name of populatableNames(type)) {
    if (isReadable(scope, attributeOf(type, name)!)) populate.set(name, plain());
  }
  return populate;
}

/** Whether the caller may read what the attribute leads to. */
export function isReadable(scope: Scope, attribute: Attribute): boolean {
  if (attribute.type === 'media') return mayFind(scope.access, scope.world.types[FILE]!);
  if (attribute.type !== 'relation' || isPolymorphic(attribute)) return true;
  return mayFind(scope.access, scope.world.types[attribute.target!]!);
}

/** The one type that the attribute leads to. */
export function nestedType(scope: Scope, attribute: Attribute): Type {
  if (attribute.type === 'component') return scope.world.components[attribute.component!]!;
  if (attribute.type === 'media') return scope.world.types[FILE]!;
  if (attribute.type === 'relation' && attribute.target) return scope.world.types[attribute.target]!;
  throw new Unspecified('dotted path through items of several types');
}
