/** `populate=deep` and `populate=deep,3`: everything that the caller may read, down to a depth. */
import { ValidationError } from '../../../core/errors.ts';
import { type EntryType, fileType, isPolymorphic, type LinkAttribute } from '../../../model/schema/schema.ts';
import type { DeepPopulate, Populated, RelatedSelection } from '../../bound.ts';
import type { Binding } from '../../policies.ts';
import { attributePlace, type PopulatePlace, populateRoot } from '../../syntax/location.ts';
import type { PopulateNode } from '../../syntax/populate-nodes.ts';
import {
  collectReadableTargets,
  exposesRoleMembers,
  inSchemaOrder,
  omitIfUnreadable,
  populatable,
  populated,
} from './populated.ts';

const defaultDepth = 5;
const maximumDepth = 10;

/** Returns the depth that a query asks for, or null if it does not ask for one. Throws for one out of bounds. */
export function deepDepth({ features }: Binding, type: EntryType, node: PopulateNode | null): number | null {
  if (!features.has('deepPopulate') || node?.kind !== 'paths' || node.items?.length !== 1) return null;
  const [{ text }] = node.items;
  if (!/^deep(,|$)/.test(text) || type.attributes.has('deep')) return null;
  if (text === 'deep') return defaultDepth;
  const depth = Number(/^deep,(\d+)$/.exec(text)?.[1]);
  if (depth >= 1 && depth <= maximumDepth) return depth;
  const message = `Invalid value ${text} for populate: expected a depth from 1 to ${maximumDepth}`;
  throw new ValidationError(message, { key: 'deep', path: null, source: 'query', param: 'populate', value: text });
}

/**
 * Binds everything down to a depth, or as far as the limit on populated types allows. A relation is left out if its type
 * is that of the root or of an entry on the way from it.
 */
export function bindDeep(binding: Binding, type: EntryType, depth: number): DeepPopulate & { populate: Populated[] } {
  const limit = binding.budget.populatedLeft;
  const counting = { ...binding, omitted: [] };
  let bound = 0;
  while (bound < depth && new DeepBinder(counting, limit).fits(type, bound + 1)) bound++;
  const populate = new DeepBinder(binding, limit).populate(type, bound, [type.uid], populateRoot);
  return { depth, boundDepth: bound, populate };
}

class DeepBinder {
  readonly #binding: Binding;
  #left: number;

  constructor(binding: Binding, limit: number) {
    this.#binding = binding;
    this.#left = limit;
  }

  /** Returns whether no more types are populated than the limit. Stops at the first one above it. */
  fits(type: EntryType, depth: number): boolean {
    this.#count(type, depth, [type.uid], populateRoot);
    return this.#left >= 0;
  }

  #count(type: EntryType, depth: number, path: readonly string[], place: PopulatePlace): void {
    for (const attribute of populatable(type)) {
      if (depth === 0 || this.#left < 0) return;
      const here = attributePlace(place, attribute.name);
      for (const target of this.#targets(type, attribute, path, here)) {
        this.#left--;
        if (target.uid !== fileType) this.#count(target, depth - 1, longer(path, target), here);
      }
    }
  }

  populate(type: EntryType, depth: number, path: readonly string[], place: PopulatePlace): Populated[] {
    if (depth === 0) return [];
    const bound = populatable(type).map((attribute) => {
      const here = attributePlace(place, attribute.name);
      const targets = this.#targets(type, attribute, path, here);
      // a polymorphic relation is shown without the entries that are left out
      if (targets.length === 0 && !isPolymorphic(attribute)) return null;
      const selections = targets.map((target) => [target.uid, this.#selection(attribute, target, depth, path, here)]);
      return populated(attribute, Object.fromEntries(selections));
    });
    return inSchemaOrder(type, bound);
  }

  #selection(
    attribute: LinkAttribute,
    target: EntryType,
    depth: number,
    path: readonly string[],
    here: PopulatePlace,
  ): RelatedSelection {
    const { budget, policies } = this.#binding;
    budget.countPopulated();
    const everyStatus = isPolymorphic(attribute) && policies.populateResult.servesEveryStatus(attribute);
    const populate = target.uid === fileType ? [] : this.populate(target, depth - 1, longer(path, target), here);
    return { fields: null, populate, filter: null, everyStatus };
  }

  /** Returns the types that are followed. */
  #targets(type: EntryType, attribute: LinkAttribute, path: readonly string[], here: PopulatePlace): EntryType[] {
    const binding = this.#binding;
    if (exposesRoleMembers(type, attribute)) return [];
    if (isPolymorphic(attribute)) {
      return collectReadableTargets(binding, attribute, here).filter(({ uid }) => !path.includes(uid));
    }
    if (path.includes(attribute.target) || omitIfUnreadable(binding, attribute, here)) return [];
    return [binding.schema.type(attribute.target)];
  }
}

/** Components may occur again, each time with fewer levels below. */
function longer(path: readonly string[], { kind, uid }: EntryType): readonly string[] {
  return kind === 'component' ? path : [...path, uid];
}
