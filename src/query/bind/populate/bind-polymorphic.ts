/** Dynamic zones and polymorphic relations in `populate`: attributes that lead to several types. */
import type { EntryType, PolymorphicAttribute } from '../../../model/schema/schema.ts';
import type { RelatedSelection } from '../../bound.ts';
import type { Binding } from '../../policies.ts';
import type { PopulatePlace } from '../../syntax/location.ts';
import { type OnNode, type OptionsNode, optionsNode, type PopulateOptions } from '../../syntax/populate-nodes.ts';
import { checkFragmentOptions, checkPopulateOfSeveral, fragmentType, optionsOfValue } from './populate-options.ts';
import { collectReadableTargets, mayUseFragment, noOptions, withRequestedStatus } from './populated.ts';

/** Binds the options of one of the types that an attribute leads to. */
type BindTarget = (target: EntryType, options: PopulateOptions, place: PopulatePlace) => RelatedSelection;

/** Binds one attribute. */
export class PolymorphicBinder {
  readonly #binding: Binding;
  readonly #attribute: PolymorphicAttribute;
  readonly #place: PopulatePlace;
  readonly #bindTarget: BindTarget;

  constructor(binding: Binding, attribute: PolymorphicAttribute, place: PopulatePlace, bindTarget: BindTarget) {
    this.#binding = binding;
    this.#attribute = attribute;
    this.#place = place;
    this.#bindTarget = bindTarget;
  }

  /** Returns what rows of each type are served with. Null if the attribute is left out. `type` has the attribute. */
  targets(type: EntryType, options: PopulateOptions): Record<string, RelatedSelection> | null {
    if (options.on && options.on.raw !== null) return this.#fragments(options.on);
    const binding = this.#binding;
    const attribute = this.#attribute;
    const place = this.#place;
    checkPopulateOfSeveral(binding, type, attribute, options, place);
    const everyStatus = binding.policies.populateResult.servesEveryStatus(attribute);
    const inner = options.populate ? optionsNode({ populate: '*' }, place) : noOptions;
    const selections = collectReadableTargets(binding, attribute, place).map((target) => {
      const related = this.#bindTarget(target, inner, place);
      return [target.uid, { ...related, populate: related.populate.map(withRequestedStatus), everyStatus }] as const;
    });
    return Object.fromEntries(selections);
  }

  /** Binds `on`: the types that it names, each with its own options. */
  #fragments(on: OnNode): Record<string, RelatedSelection> | null {
    const binding = this.#binding;
    const attribute = this.#attribute;
    const place = this.#place;
    const { errors, populateSyntax, populateResult } = binding.policies;
    const everyStatus = populateResult.servesEveryStatus(attribute);
    const entries = populateSyntax.readOn(attribute, on);
    if (entries === null) throw errors.wrongOn(place, on.raw);
    const selections: Record<string, RelatedSelection> = {};
    let readsSome = false;
    for (const { key: uid, value, place: fragment } of entries) {
      const target = fragmentType(binding, uid, place, attribute.components);
      const related = this.#fragment(target, value, fragment);
      if (!mayUseFragment(binding, attribute, target)) binding.omitted.push(`${place.typePath}.${uid}`);
      else {
        readsSome = true;
        if (related) selections[uid] = { ...related, everyStatus: everyStatus && value.kind === 'value' };
      }
    }
    return readsSome || !populateResult.leavesOutUnreadable(attribute) ? selections : null;
  }

  /** Binds `on[uid]=…`. Null if the type is switched off by `false`, which a dynamic zone ignores. */
  #fragment(target: EntryType, node: OptionsNode, place: PopulatePlace): RelatedSelection | null {
    const binding = this.#binding;
    const attribute = this.#attribute;
    const { casts, errors, populateSyntax } = binding.policies;
    if (node.kind === 'options') populateSyntax.checkLength(binding, node);
    if (node.raw === null) throw errors.notOptions(binding, place, target, node.raw);
    const flag = casts.flag(node.raw);
    if (flag === false && attribute.kind === 'polymorphic') return null;
    const isUnreadable = node.raw === '*' && !mayUseFragment(binding, attribute, target);
    const options =
      flag !== null || isUnreadable
        ? noOptions
        : node.kind === 'options'
          ? node
          : optionsOfValue(binding, target, node.raw, place);
    checkFragmentOptions(binding, target, options, place);
    return this.#bindTarget(target, options, place);
  }
}
