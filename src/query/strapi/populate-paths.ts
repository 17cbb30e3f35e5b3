/** `populate` as a text or a list, as the recorded service reads it: in several passes, some of which see commas. */
import { invalidKey } from '../../base/errors.ts';
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type Schema,
} from '../../model/schema.ts';
import { type BindingContext, mayFollow } from '../bind/context.ts';
import { leadsToOneType, zoneLeadsOn } from '../bind/zone-paths.ts';
import type { PopulatePath } from '../policies.ts';
import { joinPaths, type PopulatePlace } from '../syntax/location.ts';
import type { PathItem } from '../syntax/populate-nodes.ts';
import { identifiers } from './attribute-names.ts';

/** The result of following an item's segments from attribute to attribute. */
interface CheckedItem {
  /** The number of segments that are attributes. The rest is not checked. */
  readonly length: number;
  /** The index of the first that the caller may not read, or -1. */
  readonly unreadable: number;
  /** It ends in a polymorphic relation that leads to something readable. */
  readonly endsPolymorphic: boolean;
}

/** Returns the paths. Throws for names that do not exist, are private, or cannot be populated. */
export function readRecordedPaths(
  context: BindingContext,
  type: EntryType,
  items: readonly PathItem[],
  place: PopulatePlace,
): PopulatePath[] {
  const paths = items.flatMap((item) => item.paths);
  for (const names of paths) context.budget.checkDepth('populate', names.length);
  for (const names of paths) checkNames(context.schema, type, names);
  if (place.path !== null) rejectEmptyItems(items, place);
  return readPermitted(context, type, items, place);
}

/** At the root an item may be empty. Below it, that is a wrong name. */
function rejectEmptyItems(items: readonly PathItem[], { path }: PopulatePlace): void {
  const empty = items.find(({ paths }) => paths.length === 0);
  if (empty) throw invalidKey('populate', empty.segments[0], path);
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
      if (zoneLeadsOn(schema, attribute, names.slice(i + 1), ({ name }) => !identifiers.has(name))) return;
      throw invalidKey('populate', names[i + 1], `${path}.${names[i + 1]}`);
    }
    if (!leadsToOneType(attribute)) throw invalidKey('populate', names[i], path);
    // a type that the snapshot does not hold is private, and reported as that
    at = schema.types.get(attribute.target);
  }
}

/**
 * The recorded service checks permissions on segments between dots. A segment with a comma matches nothing, and neither
 * it nor what follows is checked; the reply still leaves out what may not be read.
 */
function readPermitted(
  context: BindingContext,
  type: EntryType,
  items: readonly PathItem[],
  place: PopulatePlace,
): PopulatePath[] {
  const checked = items.map(({ segments }) => checkPrivate(context, type, segments, place));
  if (place.path !== null) for (const [i, { segments }] of items.entries()) rejectCommas(segments, checked[i], place);
  // such an end cannot be written as a text any more: the service goes on with objects, in which heads stay
  const keepsHeads = checked.some(({ endsPolymorphic }) => endsPolymorphic);
  // of two paths that begin alike the later replaces the earlier, whichever leads further
  const isReplaced = (i: number) =>
    items.slice(i + 1).some(({ segments }) => {
      return isPrefix(items[i].segments, segments) || isPrefix(segments, items[i].segments);
    });
  return items.flatMap(({ paths, segments }, i) => {
    const { length, unreadable } = checked[i];
    if (isReplaced(i)) return [];
    if (unreadable >= 0) {
      return keepsHeads && unreadable > 0 ? [{ names: segments.slice(0, unreadable), ofAskedStatus: false }] : [];
    }
    return paths.map((names) => ({ names, ofAskedStatus: length < segments.length }));
  });
}

/** Below the root a text with commas is a mistake, which is reported after mistakes in the names before them. */
function rejectCommas(segments: readonly string[], { length }: CheckedItem, { path }: PopulatePlace): void {
  const segment = segments[length];
  if (!segment?.includes(',')) return;
  throw invalidKey('populate', segment, [path, ...segments.slice(0, length)].join('.'));
}

/** Follows the segments as long as they are names. Throws for a private one. */
function checkPrivate(
  context: BindingContext,
  type: EntryType,
  segments: readonly string[],
  { path }: PopulatePlace,
): CheckedItem {
  let at: EntryType | undefined = type;
  let unreadable = -1;
  for (let i = 0; i < segments.length; i++) {
    const attribute: Attribute | undefined = at?.attributes.get(segments[i]);
    if (!attribute) return { length: i, unreadable, endsPolymorphic: false };
    if (attribute.private) {
      throw invalidKey('populate', segments[i], joinPaths(path, segments.slice(0, i + 1).join('.')));
    }
    const link = attribute as LinkAttribute;
    if (isPolymorphic(link)) {
      return { length: i + 1, unreadable, endsPolymorphic: unreadable < 0 && link.kind === 'polymorphic' };
    }
    if (unreadable < 0 && !mayFollow(context, link)) unreadable = i;
    at = context.schema.types.get(link.target);
  }
  return { length: segments.length, unreadable, endsPolymorphic: false };
}

/** Returns whether one list begins with another that is shorter. */
function isPrefix(longer: readonly string[], shorter: readonly string[]): boolean {
  return longer.length > shorter.length && shorter.every((name, i) => longer[i] === name);
}
