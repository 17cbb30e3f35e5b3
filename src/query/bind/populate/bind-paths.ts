import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
  type RelationAttribute,
  type Schema,
} from '../../../model/schema/schema.ts';
import type { Populated, RelatedSelection } from '../../bound.ts';
import type { Binding } from '../../policies.ts';
import { attributePlace, type PopulatePlace } from '../../syntax/location.ts';
import type { PopulatePath } from './populate-policies.ts';
import {
  collectReadableTargets,
  exposesRoleMembers,
  inSchemaOrder,
  omitIfUnreadable,
  populated,
  withRequestedStatus,
} from './populated.ts';

/** Binds the attribute at the end of a path. */
type BindEnd = (binding: Binding, type: EntryType, attribute: LinkAttribute, place: PopulatePlace) => Populated | null;

/**
 * Binds dotted paths. Paths with the same first name are bound as one attribute. A name that cannot be followed ends
 * its path.
 */
export function bindPaths(
  binding: Binding,
  type: EntryType,
  paths: readonly PopulatePath[],
  place: PopulatePlace,
  bindEnd: BindEnd,
): Populated[] {
  const byName = new Map<string, PopulatePath[]>();
  for (const path of paths) {
    const sharing = byName.get(path.names[0]);
    if (sharing) sharing.push(path);
    else byName.set(path.names[0], [path]);
  }
  const bound = Array.from(byName, ([name, sharing]) => {
    const attribute = type.attributes.get(name);
    if (!attribute || attribute.private || isScalar(attribute) || exposesRoleMembers(type, attribute)) return null;
    const here = attributePlace(place, name);
    const rest = sharing
      .filter(({ names }) => names.length > 1)
      .map((path) => ({ ...path, names: path.names.slice(1) }));
    if (rest.length > 0) return bindRest(binding, attribute, rest, here, bindEnd);
    const end = bindEnd(binding, type, attribute, here);
    return end && sharing.some((path) => path.ofRequestedStatus) ? withRequestedStatus(end) : end;
  });
  return inSchemaOrder(type, bound);
}

/** Binds what follows an attribute. */
function bindRest(
  binding: Binding,
  attribute: LinkAttribute,
  rest: readonly PopulatePath[],
  here: PopulatePlace,
  bindEnd: BindEnd,
): Populated | null {
  const bindTarget = (inner: Binding, target: EntryType): RelatedSelection => {
    binding.budget.countPopulated();
    const populate = bindPaths(inner, target, rest, here, bindEnd);
    return { fields: null, populate, filter: null, everyStatus: false };
  };
  if (attribute.kind === 'dynamiczone') return bindZone(binding, attribute, here, bindTarget);
  if (isPolymorphic(attribute)) return null;
  const target = binding.schema.type(attribute.target);
  const omitted = omitIfUnreadable(binding, attribute, here);
  const selection = bindTarget(omitted ? { ...binding, omitted: [] } : binding, target);
  return omitted ? null : populated(attribute, { [target.uid]: selection });
}

/** A path through a zone leads on in those of its components that have the next name. */
function bindZone(
  binding: Binding,
  attribute: PolymorphicAttribute,
  here: PopulatePlace,
  bindTarget: (binding: Binding, target: EntryType) => RelatedSelection,
): Populated {
  const targets = collectReadableTargets(binding, attribute, here).map(
    (type) => [type.uid, bindTarget(binding, type)] as const,
  );
  return populated(attribute, Object.fromEntries(targets));
}

/** Returns whether a path can lead on through an attribute into one type. */
export function leadsToOneType(attribute: Attribute): attribute is RelationAttribute {
  return attribute.kind === 'relation' || attribute.kind === 'component';
}

/**
 * Returns whether some component of a zone has all of the names, one below the other. The last name must be an
 * attribute that `counts`, and a scalar only directly in a zone. All types that are reached are searched together,
 * because zones that lead back to their parents have too many paths to follow one by one.
 */
export function zoneLeadsOn(
  schema: Schema,
  zone: PolymorphicAttribute,
  names: readonly string[],
  counts: (attribute: Attribute) => boolean,
): boolean {
  const componentsOf = ({ components }: PolymorphicAttribute) => components!.map((uid) => schema.type(uid));
  let ofZones = new Set(componentsOf(zone));
  let others = new Set<EntryType>();
  for (const [i, name] of names.entries()) {
    const inZones = [...ofZones].flatMap(({ attributes }) => attributes.get(name) ?? []);
    const elsewhere = [...others].flatMap(({ attributes }) => attributes.get(name) ?? []);
    if (i === names.length - 1) {
      return inZones.some(counts) || elsewhere.some((attribute) => !isScalar(attribute) && counts(attribute));
    }
    const targets = [...inZones, ...elsewhere].filter(leadsToOneType).map(({ target }) => schema.types.get(target));
    // a type that the snapshot does not hold may have any attribute
    if (targets.includes(undefined)) return true;
    others = new Set(targets as EntryType[]);
    // a zone directly in a zone leads nowhere
    ofZones = new Set(elsewhere.flatMap((each) => (each.kind === 'dynamiczone' ? componentsOf(each) : [])));
  }
  return true;
}
