/** `populate` as a text or a list. Strapi reads it in several passes, which split texts in different ways. */
import { invalidKey } from '../../core/errors.ts';
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type Schema,
} from '../../model/schema/schema.ts';
import { type BindingContext, mayFollow } from '../bind/context.ts';
import { leadsToOneType, zoneLeadsOn } from '../bind/populate/bind-paths.ts';
import type { PopulatePath } from '../bind/populate/populate-policies.ts';
import { joinPaths, type PopulatePlace } from '../syntax/location.ts';
import type { PathItem } from '../syntax/populate-nodes.ts';
import { idNames } from './errors.ts';

/** An item, followed from attribute to attribute by its segments. */
interface FollowedItem {
  /** The paths between its commas. */
  readonly paths: PathItem['paths'];
  /** What is between its dots, commas included. Strapi checks permissions on these. */
  readonly segments: readonly string[];
  /** The number of segments that are attributes. The rest is not checked. */
  readonly length: number;
  /** The index of the first segment that the caller may not read, or -1. */
  readonly unreadable: number;
  /** It ends in a polymorphic relation that leads to something readable. */
  readonly endsPolymorphic: boolean;
}

/** Returns the paths. Throws for names that do not exist, are private, or cannot be populated. */
export function readStrapiPaths(
  context: BindingContext,
  type: EntryType,
  items: readonly PathItem[],
  place: PopulatePlace,
): PopulatePath[] {
  const paths = items.flatMap((item) => item.paths);
  for (const names of paths) context.budget.checkDepth('populate', names);
  for (const names of paths) checkNames(context.schema, type, names);
  if (place.path !== null) rejectEmptyItems(items, place);
  return readPermitted(context, type, items, place);
}

function segmentsOf({ text }: PathItem): string[] {
  return text.split('.');
}

/** Throws for an empty item. Below the root it is a wrong name. */
function rejectEmptyItems(items: readonly PathItem[], { path }: PopulatePlace): void {
  const empty = items.find(({ paths }) => paths.length === 0);
  if (empty) throw invalidKey('populate', segmentsOf(empty)[0], path);
}

/** Throws unless every name exists and can be populated. Errors name the path from here, also below the root. */
function checkNames(schema: Schema, type: EntryType, names: readonly string[]): void {
  let at: EntryType | undefined = type;
  for (let i = 0; at; i++) {
    const path = names.slice(0, i + 1).join('.');
    const attribute: Attribute | undefined = at.attributes.get(names[i]);
    if (!attribute || isScalar(attribute)) throw invalidKey('populate', names[i], path);
    if (i === names.length - 1) return;
    if (attribute.kind === 'dynamiczone') {
      if (zoneLeadsOn(schema, attribute, names.slice(i + 1), ({ name }) => !idNames.has(name))) return;
      throw invalidKey('populate', names[i + 1], `${path}.${names[i + 1]}`);
    }
    if (!leadsToOneType(attribute)) throw invalidKey('populate', names[i], path);
    // a type that the snapshot does not hold is private, and reported as that
    at = schema.types.get(attribute.target);
  }
}

/**
 * Returns the paths without those that the caller may not read. Strapi checks permissions on segments between dots, so
 * a segment with a comma matches no attribute, and neither it nor what follows is checked. The reply still leaves out
 * what the caller may not read.
 */
function readPermitted(
  context: BindingContext,
  type: EntryType,
  items: readonly PathItem[],
  place: PopulatePlace,
): PopulatePath[] {
  const followed = items.map((item) => followSegments(context, type, item, place));
  if (place.path !== null) for (const item of followed) rejectCommas(item, place);
  // an item that ends in a polymorphic relation makes Strapi convert the list to an object, which keeps the readable
  // beginning of each path
  const keepsBeginnings = followed.some(({ endsPolymorphic }) => endsPolymorphic);
  return followed.flatMap(({ paths, segments, length, unreadable }, i) => {
    if (followed.slice(i + 1).some((later) => isReplaced(segments, later.segments))) return [];
    if (unreadable < 0) return paths.map((names) => ({ names, ofRequestedStatus: length < segments.length }));
    return keepsBeginnings && unreadable > 0
      ? [{ names: segments.slice(0, unreadable), ofRequestedStatus: false }]
      : [];
  });
}

/** Throws for a text with commas below the root. Mistakes in the names before the comma are reported first. */
function rejectCommas({ segments, length }: FollowedItem, { path }: PopulatePlace): void {
  const segment = segments[length];
  if (!segment?.includes(',')) return;
  throw invalidKey('populate', segment, [path, ...segments.slice(0, length)].join('.'));
}

/** Follows the segments of an item as long as they are attributes. Throws for a private one. */
function followSegments(
  context: BindingContext,
  type: EntryType,
  item: PathItem,
  { path }: PopulatePlace,
): FollowedItem {
  const segments = segmentsOf(item);
  const { paths } = item;
  let at: EntryType | undefined = type;
  let unreadable = -1;
  for (let i = 0; i < segments.length; i++) {
    const attribute: Attribute | undefined = at?.attributes.get(segments[i]);
    if (!attribute) return { paths, segments, length: i, unreadable, endsPolymorphic: false };
    if (attribute.private) {
      throw invalidKey('populate', segments[i], joinPaths(path, segments.slice(0, i + 1).join('.')));
    }
    const link = attribute as LinkAttribute;
    if (isPolymorphic(link)) {
      const endsPolymorphic = unreadable < 0 && link.kind === 'polymorphic';
      return { paths, segments, length: i + 1, unreadable, endsPolymorphic };
    }
    if (unreadable < 0 && !mayFollow(context, link)) unreadable = i;
    at = context.schema.types.get(link.target);
  }
  return { paths, segments, length: segments.length, unreadable, endsPolymorphic: false };
}

/** Returns whether a later item replaces this one: one of them is the beginning of the other. */
function isReplaced(segments: readonly string[], later: readonly string[]): boolean {
  return isPrefix(segments, later) || isPrefix(later, segments);
}

/** Returns whether one list begins with another that is shorter. */
function isPrefix(longer: readonly string[], shorter: readonly string[]): boolean {
  return longer.length > shorter.length && shorter.every((name, i) => longer[i] === name);
}
