/** The links of an export, of the lists that replies show. */
import { fileType, type LinkAttribute, type RelationAttribute } from '../../model/schema/schema.ts';
import { hasTwoSides, type LinkTables, otherSide } from './link-tables.ts';
import type { ShownList } from './read-row.ts';
import type { RestTypes } from './rest-types.ts';

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
