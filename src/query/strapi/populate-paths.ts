/** `populate` as a text or a list: names and dotted paths, checked against the schema and against what may be read. */
import { invalidKey } from '../../base/errors.ts';
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
  type RelationAttribute,
  type Schema,
} from '../../model/schema.ts';
import { type Binding, mayFollow, wrongName } from '../bind/binding.ts';
import { identifiers } from '../syntax/attribute-names.ts';
import { childPath, type Path } from '../syntax/place.ts';
import { type Place, partOf } from './populate-forms.ts';

export interface PopulatePath {
  /** At least one; each names what can be populated, as far as types tell. */
  readonly names: readonly string[];
  /** A polymorphic relation at its end shows rows of the asked status, not of every one. */
  readonly ofAskedStatus: boolean;
}

/** One item of the list (or the whole text): the parts between its commas, and what stands before its dots. */
interface Item {
  readonly paths: readonly string[][];
  readonly segments: readonly string[];
}

/** How far an item's segments are names, one below the other, and what is found there. */
interface Checked {
  /** The number of names. What comes after them was never looked at. */
  readonly length: number;
  /** The place of the first that the caller may not read, or -1. */
  readonly unreadable: number;
  /** It ends in a polymorphic relation that leads to something readable. */
  readonly endsPolymorphic: boolean;
}

/** Reads the paths. Throws for names that do not exist, are private, or cannot be populated. */
export function populatePaths(binding: Binding, type: EntryType, value: unknown, place: Place): PopulatePath[] {
  const list = Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === 'string')) {
    // a list that holds more than texts is taken for an object, by its numbers
    if (list.length > 2 && binding.dialect.passesOverPopulateKeys) throw invalidKey('populate', '2', place.path);
    throw binding.messages.populateForm(partOf(place), value);
  }
  const { schema, dialect } = binding;
  const items: Item[] = list.map((text) => ({ paths: pathsOf(binding, text), segments: text.split('.') }));
  if (!dialect.checksPopulateByDots) {
    if (place.path !== null && items.some(({ paths }) => paths.length === 0)) {
      throw wrongName(binding, partOf(place), type, '', place.path, 'populate', value);
    }
    return items.flatMap(({ paths }, i) => paths.map((names) => readAsNamed(binding, type, names, list[i], place)));
  }
  for (const { paths } of items) for (const names of paths) checkNames(schema, type, names);
  if (place.path !== null) refuseUnnamed(items, place);
  return readAsRecorded(binding, type, items, place);
}

function pathsOf({ budget }: Binding, text: string): string[][] {
  const paths = text.split(',').map((path) => path.split('.').map((name) => name.trim()));
  const named = paths.map((names) => names.filter((name) => name !== '')).filter((names) => names.length > 0);
  for (const names of named) budget.checkDepth('populate', names.length);
  return named;
}

/** At the root an item may say nothing; below it that is a wrong name. */
function refuseUnnamed(items: readonly Item[], { path }: Place): void {
  const unnamed = items.find(({ paths }) => paths.length === 0);
  if (unnamed) throw invalidKey('populate', unnamed.segments[0], path);
}

/** Every name has to exist and to be something that can be populated. Below the root, too, a path is told from here. */
function checkNames(schema: Schema, type: EntryType, names: readonly string[]): void {
  let at: EntryType | undefined = type;
  for (let i = 0; at; i++) {
    const here = names.slice(0, i + 1).join('.');
    const attribute = at.attributes.get(names[i]);
    if (!attribute || isScalar(attribute)) throw invalidKey('populate', names[i], here);
    if (i === names.length - 1) return;
    if (attribute.kind === 'dynamiczone') {
      if (zoneLeadsOn(schema, attribute, names.slice(i + 1), () => true)) return;
      throw invalidKey('populate', names[i + 1], `${here}.${names[i + 1]}`);
    }
    if (!leadsToOneType(attribute)) throw invalidKey('populate', names[i], here);
    // what the snapshot does not hold is private, and refused as that
    at = schema.types.get(attribute.target);
  }
}

const leadsToOneType = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === 'relation' || attribute.kind === 'component';

/**
 * Whether one component of a zone has the names: all of them, one below the other, or the one that is last. All types
 * that are reached stand side by side: where zones lead back to what holds them, the paths are too many to be followed.
 * Only attributes that count are found.
 */
function zoneLeadsOn(
  schema: Schema,
  zone: PolymorphicAttribute,
  names: readonly string[],
  counts: (attribute: Attribute) => boolean,
): boolean {
  const componentsOf = ({ components }: PolymorphicAttribute) => components!.map((uid) => schema.type(uid));
  let ofZones = new Set(componentsOf(zone));
  let others = new Set<EntryType>();
  for (const [i, name] of names.entries()) {
    // directly in a zone any attribute is a last name, and none that is a zone leads on
    const inZones = identifiers.has(name) ? [] : [...ofZones].flatMap(({ attributes }) => attributes.get(name) ?? []);
    const elsewhere = [...others].flatMap(({ attributes }) => attributes.get(name) ?? []);
    if (i === names.length - 1) {
      return inZones.some(counts) || elsewhere.some((attribute) => !isScalar(attribute) && counts(attribute));
    }
    const targets = [...inZones, ...elsewhere].filter(leadsToOneType).map(({ target }) => schema.types.get(target));
    if (targets.includes(undefined)) return true;
    others = new Set(targets as EntryType[]);
    ofZones = new Set(elsewhere.flatMap((each) => (each.kind === 'dynamiczone' ? componentsOf(each) : [])));
  }
  return true;
}

/**
 * Checks one path. Every name is that of a link which the caller may know of; what follows a relation that the caller
 * may not follow is not looked at.
 */
function readAsNamed(
  binding: Binding,
  root: EntryType,
  names: readonly string[],
  text: string,
  place: Place,
): PopulatePath {
  const path = { names, ofAskedStatus: false };
  const { schema } = binding;
  let type = root;
  let parent: Path = place.path;
  for (const [i, name] of names.entries()) {
    const attribute = type.attributes.get(name);
    const isLast = i === names.length - 1;
    const wrong = () => wrongName(binding, partOf(place), type, name, parent, 'populate', text);
    if (!attribute || attribute.private || isScalar(attribute)) throw wrong();
    if (isLast) return path;
    if (attribute.kind === 'dynamiczone') {
      const counts = (each: Attribute) => !each.private && !isScalar(each);
      if (zoneLeadsOn(schema, attribute, names.slice(i + 1), counts)) return path;
      throw binding.messages.zonePath(partOf(place), names[i + 1], childPath(parent, name), text);
    }
    if (!leadsToOneType(attribute)) throw wrong();
    if (!mayFollow(binding, attribute)) return path;
    type = schema.type(attribute.target);
    parent = childPath(parent, name);
  }
  return path;
}

/**
 * The recorded service looks at rights by splitting at dots only: a segment that holds a comma is the name of nothing,
 * and neither it nor what follows is looked at, but for the reply, which leaves out what may not be read.
 */
function readAsRecorded(binding: Binding, type: EntryType, items: readonly Item[], place: Place): PopulatePath[] {
  const checked = items.map(({ segments }) => checkPrivate(binding, type, segments, place));
  if (place.path !== null) for (const [i, { segments }] of items.entries()) refuseCommas(segments, checked[i], place);
  // such an end cannot be written as a text any more: the service goes on with objects, in which heads stay
  const keepsHeads = checked.some(({ endsPolymorphic }) => endsPolymorphic);
  // of two paths that begin alike the later takes the place of the earlier, whichever leads further
  const replaced = (i: number) =>
    items.some(({ segments }, later) => {
      return later > i && (startsWith(items[i].segments, segments) || startsWith(segments, items[i].segments));
    });
  return items.flatMap(({ paths, segments }, i) => {
    const { length, unreadable } = checked[i];
    if (replaced(i)) return [];
    if (unreadable >= 0) {
      return keepsHeads && unreadable > 0 ? [{ names: segments.slice(0, unreadable), ofAskedStatus: false }] : [];
    }
    return paths.map((names) => ({ names, ofAskedStatus: length < segments.length }));
  });
}

/** Below the root a text with commas is refused, once the names before them are known to be right. */
function refuseCommas(segments: readonly string[], { length }: Checked, { path }: Place): void {
  const segment = segments[length];
  if (!segment?.includes(',')) return;
  throw invalidKey('populate', segment, [path, ...segments.slice(0, length)].join('.'));
}

/** Follows names as long as they are names. Throws for a private one. */
function checkPrivate(binding: Binding, type: EntryType, segments: readonly string[], { path }: Place): Checked {
  let at: EntryType | undefined = type;
  let unreadable = -1;
  for (let i = 0; i < segments.length; i++) {
    const attribute = at?.attributes.get(segments[i]);
    if (!attribute) return { length: i, unreadable, endsPolymorphic: false };
    if (attribute.private)
      throw invalidKey(
        'populate',
        segments[i],
        [path, ...segments.slice(0, i + 1)].filter((name) => name !== null).join('.'),
      );
    const link = attribute as LinkAttribute;
    if (isPolymorphic(link)) {
      return { length: i + 1, unreadable, endsPolymorphic: unreadable < 0 && link.kind === 'polymorphic' };
    }
    if (unreadable < 0 && !mayFollow(binding, link)) unreadable = i;
    at = binding.schema.types.get(link.target);
  }
  return { length: segments.length, unreadable, endsPolymorphic: false };
}

/** Whether `longer` goes on where `shorter` ends. */
function startsWith(longer: readonly string[], shorter: readonly string[]): boolean {
  return longer.length > shorter.length && shorter.every((name, i) => longer[i] === name);
}
