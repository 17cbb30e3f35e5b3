/** Links as both sides of their relation show them, from which the positions on both sides follow. */
import {
  type EntryType,
  fileType,
  isScalar,
  type LinkAttribute,
  type RelationAttribute,
  roleType,
} from '../../model/schema/schema.ts';
import type { ShownList } from './read-row.ts';
import type { RestTypes } from './rest-types.ts';
import { isShown } from './slices.ts';

/** The positions of links, from 1, by the row that shows them and the row that they lead to. */
type Positions = Map<number, Map<number, number>>;

interface TwoSides {
  readonly ownerType: string;
  readonly targetType: string;
  readonly owner: Positions;
  readonly inverse: Positions;
}

/** A link that only one of two sides shows. */
export interface OneSidedLink {
  readonly owner: { readonly type: string; readonly id: number };
  readonly target: { readonly type: string; readonly id: number };
}

export class LinkTables {
  readonly #types: RestTypes;
  readonly #relations = new Map<string, TwoSides>();
  /** For links of polymorphic lists: the attribute of the target that shows the link. */
  readonly #inverseNames = new Map<string, string>();

  constructor(types: RestTypes) {
    this.#types = types;
  }

  /** Adds a list of either side. Lists of a row with several statuses are added one after another. */
  add({ type, id, attribute, targets }: ShownList): void {
    if (attribute.kind !== 'relation') return;
    if (attribute.fromPolymorphic) {
      for (const target of targets) {
        this.#inverseNames.set(morphKey(target.type, target.id, attribute.inverse!, type.uid, id), attribute.name);
      }
    }
    if (!hasTwoSides(this.#types, type, attribute)) return;
    const sides = this.#sidesOf(type, attribute);
    const positions = attribute.owner ? sides.owner : sides.inverse;
    const list = positions.get(id) ?? new Map<number, number>();
    positions.set(id, list);
    for (const [i, target] of targets.entries()) list.set(target.id, i + 1);
  }

  /** Returns the position of a link in the list of its target, or undefined if the target does not show it. */
  inversePosition(type: EntryType, attribute: RelationAttribute, id: number, target: number): number | undefined {
    return this.#sidesOf(type, attribute).inverse.get(target)?.get(id);
  }

  /** Returns the attribute of the target that shows a link of a polymorphic list, or undefined. */
  inverseName(type: string, attribute: string, id: number, targetType: string, target: number): string | undefined {
    return this.#inverseNames.get(morphKey(type, id, attribute, targetType, target));
  }

  /** Yields the links that only one side shows. */
  *oneSided(): Generator<OneSidedLink> {
    for (const { ownerType, targetType, owner, inverse } of this.#relations.values()) {
      const link = (from: number, to: number) => ({
        owner: { type: ownerType, id: from },
        target: { type: targetType, id: to },
      });
      for (const [from, list] of owner)
        for (const to of list.keys()) if (!inverse.get(to)?.has(from)) yield link(from, to);
      for (const [to, list] of inverse)
        for (const from of list.keys()) if (!owner.get(from)?.has(to)) yield link(from, to);
    }
  }

  #sidesOf({ uid }: EntryType, { name, owner, target, inverse }: RelationAttribute): TwoSides {
    const [ownerType, targetType] = owner ? [uid, target] : [target, uid];
    const key = `${ownerType} ${owner ? name : inverse}`;
    const sides = this.#relations.get(key) ?? { ownerType, targetType, owner: new Map(), inverse: new Map() };
    this.#relations.set(key, sides);
    return sides;
  }
}

/** Whether replies show a relation from both sides. */
export function hasTwoSides(types: RestTypes, type: EntryType, attribute: RelationAttribute): boolean {
  if (attribute.inverse === null || attribute.fromPolymorphic || !types.readable.has(type.uid)) return false;
  // roles are not read with the users and permissions that link to them
  if (!types.readable.has(attribute.target) || attribute.target === roleType) return false;
  const other = otherSide(types, attribute);
  return other?.kind === 'relation' && other.inverse === attribute.name && isShown(types, other);
}

/** Returns the inverse attribute of a relation, or undefined if it has none. */
function otherSide(types: RestTypes, { target, inverse }: RelationAttribute): LinkAttribute | undefined {
  const other = inverse === null ? undefined : types.schema.types.get(target)?.attributes.get(inverse);
  return other && !isScalar(other) ? other : undefined;
}

function morphKey(type: string, id: number, attribute: string, targetType: string, target: number): string {
  return `${type} ${id} ${attribute} ${targetType} ${target}`;
}

/** A line of the links of an export. */
export interface LinkLine {
  readonly kind: 'relation.basic' | 'relation.circular' | 'relation.morph';
  readonly relation: string;
  readonly left: LinkEndLine;
  readonly right: LinkEndLine;
}

interface LinkEndLine {
  readonly type: string;
  readonly ref: number;
  readonly field?: string;
  readonly pos?: number;
}

/**
 * Returns the lines for the links of a list. A relation with two sides gets the lines of its owner. A relation that only
 * the inverse side shows has no positions on the side of the owner.
 */
export function linkLines(
  types: RestTypes,
  { type, id, attribute, targets }: ShownList,
  tables: LinkTables,
): LinkLine[] {
  const relation = relationOf(types, type.uid, attribute);
  if (attribute.kind === 'media') {
    return targets.map((target, i) => ({
      kind: 'relation.morph',
      relation: 'morphToMany',
      left: { type: fileType, field: 'related', ref: target.id },
      right: { type: type.uid, field: attribute.name, ref: id, pos: i + 1 },
    }));
  }
  if (attribute.kind === 'polymorphic') {
    return targets.map((target, i) => {
      const left = { type: type.uid, field: attribute.name, ref: id };
      if (!attribute.many)
        return { kind: 'relation.morph', relation, left, right: { type: target.type, ref: target.id } };
      // a target that is linked twice is linked from either side, and its attribute shows one of the links
      const isLast = !targets.slice(i + 1).some((other) => other.type === target.type && other.id === target.id);
      const inverse = isLast ? tables.inverseName(type.uid, attribute.name, id, target.type, target.id) : undefined;
      const right = { type: target.type, field: inverse ?? attribute.name, ref: target.id, pos: i + 1 };
      return { kind: 'relation.morph', relation, left, right };
    });
  }
  if (attribute.kind !== 'relation' || attribute.fromPolymorphic) return [];
  if (attribute.owner) {
    return targets.map((target, i) => {
      const pos = hasTwoSides(types, type, attribute)
        ? tables.inversePosition(type, attribute, id, target.id)
        : undefined;
      return {
        kind: kindOf(type.uid, attribute),
        relation,
        left: { type: type.uid, field: attribute.name, ref: id, pos: i + 1 },
        right: {
          type: target.type,
          ref: target.id,
          ...(attribute.inverse !== null && { field: attribute.inverse, pos }),
        },
      };
    });
  }
  const owner = otherSide(types, attribute);
  if (!owner || hasTwoSides(types, type, attribute) || !types.readable.has(attribute.target)) return [];
  return targets.map((target, i) => ({
    kind: kindOf(type.uid, attribute),
    relation: relationOf(types, target.type, owner),
    left: { type: target.type, field: owner.name, ref: target.id },
    right: { type: type.uid, field: attribute.name, ref: id, pos: i + 1 },
  }));
}

function kindOf(uid: string, { target }: RelationAttribute): 'relation.basic' | 'relation.circular' {
  return uid === target ? 'relation.circular' : 'relation.basic';
}

function relationOf({ definitions }: RestTypes, uid: string, { name }: LinkAttribute): string {
  const relation = definitions.find((each) => each.uid === uid)?.attributes[name]?.relation;
  return typeof relation === 'string' ? relation : '';
}
