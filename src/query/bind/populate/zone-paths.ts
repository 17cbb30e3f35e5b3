import {
  type Attribute,
  type EntryType,
  isScalar,
  type PolymorphicAttribute,
  type RelationAttribute,
  type Schema,
} from '../../../model/schema/schema.ts';

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
