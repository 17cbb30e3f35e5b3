import {
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
} from '../../../model/schema/schema.ts';
import type { Populated, RelatedSelection } from '../../bound.ts';
import type { Binding } from '../../policies.ts';
import { attributePlace, type PopulatePlace } from '../../syntax/location.ts';
import { collectReadableTargets, exposesRoleMembers, omitIfUnreadable } from './populate-access.ts';
import type { PopulatePath } from './populate-policies.ts';
import { inSchemaOrder, populated, withRequestedStatus } from './populated.ts';

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
