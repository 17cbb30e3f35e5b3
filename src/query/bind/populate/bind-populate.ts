import { ValidationError } from '../../../core/errors.ts';
import { type EntryType, isPolymorphic, isScalar, type LinkAttribute } from '../../../model/schema/schema.ts';
import type { Populated, RelatedSelection, SortKey } from '../../bound.ts';
import type { Binding } from '../../policies.ts';
import { attributePlace, optionPart, type Path, type PopulatePlace, populatePart } from '../../syntax/location.ts';
import type {
  OptionsNode,
  PathsNode,
  PopulateEntry,
  PopulateNode,
  PopulateOptions,
  TreeNode,
} from '../../syntax/populate-nodes.ts';
import { bindFilters } from '../bind-filters.ts';
import { bindFields, bindSelection, bindSort } from '../bind-names.ts';
import { mayFollow, unrestricted } from '../context.ts';
import { bindPaths } from './bind-paths.ts';
import { PolymorphicBinder } from './bind-polymorphic.ts';
import { checkOptions, checkPopulateOfSeveral, optionsOfValue, readCount, unexpectedOn } from './populate-options.ts';
import { windowOf } from './populate-window.ts';
import {
  exposesRoleMembers,
  inSchemaOrder,
  isCountable,
  noOptions,
  omitIfUnreadable,
  populatable,
  populated,
} from './populated.ts';

/**
 * Rejects `populate=deep` and `populate=deep,3`, which plugins for Strapi understand, with an error that says what
 * works.
 */
function rejectDeep(type: EntryType, { items }: PathsNode): void {
  if (items?.length !== 1 || !/^deep(,\s*\d+)?$/.test(items[0].text) || type.attributes.has('deep')) return;
  const [link] = populatable(type);
  const nested = link ? `, and populate[${link.name}][populate]=* the next` : '';
  const message = `Invalid key deep: it needs a plugin of Strapi. Here, populate=* shows one level${nested}`;
  throw new ValidationError(message, { key: 'deep', path: 'deep', source: 'query', param: 'populate' });
}

/** Binds `populate` of a type. */
export function bindPopulate(binding: Binding, type: EntryType, node: PopulateNode | null): Populated[] {
  return node === null ? [] : new PopulateBinder(binding, type).populate(node);
}

/** Binds attributes of one type. */
class PopulateBinder {
  readonly #binding: Binding;
  readonly #type: EntryType;

  constructor(binding: Binding, type: EntryType) {
    this.#binding = binding;
    this.#type = type;
  }

  populate(node: PopulateNode): Populated[] {
    const binding = this.#binding;
    const type = this.#type;
    const { place } = node;
    const { populateSyntax } = binding.policies;
    switch (node.kind) {
      case 'star': {
        const bound = populatable(type).map((each) =>
          this.attribute(each, noOptions, attributePlace(place, each.name)),
        );
        return inSchemaOrder(type, bound);
      }
      case 'paths': {
        const beside = this.#besideStar(node);
        if (beside) return this.#withEverything(beside, place);
        if (place.path === null) rejectDeep(type, node);
        const paths = populateSyntax.readPaths(binding, type, node);
        return bindPaths(binding, type, paths, place, (inner, of, attribute, here) =>
          new PopulateBinder(inner, of).attribute(attribute, noOptions, here),
        );
      }
      case 'tree': {
        const beside = this.#besideStar(node);
        if (beside) return this.#withEverything(beside, place);
        populateSyntax.checkLength(binding, node);
        const bound = this.#inOrderOfChecks(node.entries).map((entry) => this.#entry(entry, place));
        return inSchemaOrder(type, bound);
      }
      default:
        return node satisfies never;
    }
  }

  /** Returns what a list or an object names beside a star. Null without a star. */
  #besideStar(node: PathsNode | TreeNode): PathsNode | TreeNode | null {
    const { features, policies } = this.#binding;
    if (!features.has('deepPopulate')) return null;
    if (node.kind === 'paths') {
      const items = node.items?.filter(({ text }) => text !== '*');
      const hasStar = Array.isArray(node.raw) && items && items.length < node.items!.length;
      return hasStar ? { ...node, items, raw: items.map(({ text }) => text) } : null;
    }
    const star = node.entries.find(({ key }) => key === '*');
    if (!star || this.#type.attributes.has('*') || policies.casts.flag(star.value.raw) !== true) return null;
    return { ...node, entries: node.entries.filter((entry) => entry !== star) };
  }

  /** Binds everything one level deep, but what a node names as it says: `false` leaves an attribute out. */
  #withEverything(node: PathsNode | TreeNode, place: PopulatePlace): Populated[] {
    const named = this.populate(node);
    const names = new Set(named.map(({ attribute }) => attribute));
    if (node.kind === 'tree') for (const { key } of node.entries) names.add(key);
    const everything = this.populate({ kind: 'star', place }).filter(({ attribute }) => !names.has(attribute));
    return inSchemaOrder(this.#type, [...everything, ...named]);
  }

  #inOrderOfChecks(entries: readonly PopulateEntry[]): readonly PopulateEntry[] {
    if (!this.#binding.policies.selection.reportsPrivateLast) return entries;
    const isPrivate = ({ key }: PopulateEntry) => this.#type.attributes.get(key)?.private === true;
    return entries.toSorted((a, b) => Number(isPrivate(a)) - Number(isPrivate(b)));
  }

  /** Binds `populate[key]=…`. */
  #entry({ key, place, value }: PopulateEntry, parent: PopulatePlace): Populated | null {
    const binding = this.#binding;
    const type = this.#type;
    const { errors, populateChecks } = binding.policies;
    const attribute = type.attributes.get(key);
    if (!attribute && populateChecks.ignoresKey(binding, type, key, value.raw, parent)) return null;
    const wrongName = (keyPath?: Path) => {
      const nameUse = { part: populatePart(parent), name: key, parent: parent.path, use: 'populate' } as const;
      return errors.wrongName(binding, type, { ...nameUse, value: value.raw, keyPath });
    };
    if (!attribute || isScalar(attribute)) throw wrongName(place.keyPath);
    if (!attribute.private) return this.#value(attribute, value, place);
    if (populateChecks.checksPrivateOptions(binding.schema, attribute, value)) {
      new PopulateBinder(unrestricted(binding), type).#value(attribute, value, place);
    }
    throw wrongName();
  }

  /** Binds an attribute with the value of its key. Null if it is not populated. */
  #value(attribute: LinkAttribute, node: OptionsNode, place: PopulatePlace): Populated | null {
    const binding = this.#binding;
    const type = this.#type;
    const { errors, casts, populateSyntax, populateChecks, populateResult } = binding.policies;
    if (casts.isAbsent(node.raw)) return null;
    const flag = casts.flag(node.raw);
    if (flag === false) return null;
    if (!populateChecks.checksUnreadableOptions && omitIfUnreadable(binding, attribute, place)) return null;
    if (isPolymorphic(attribute) && populateResult.leavesOut(attribute, node)) {
      if (node.kind === 'options') checkPopulateOfSeveral(binding, type, attribute, node, place);
      return null;
    }
    if (flag === true) return this.attribute(attribute, noOptions, place);
    if (node.kind === 'options') {
      if (!isPolymorphic(attribute)) populateSyntax.checkLength(binding, node);
      return this.attribute(attribute, node, place);
    }
    const isStar = node.raw === '*';
    if (isPolymorphic(attribute)) {
      const options = isStar ? populateSyntax.starOptions(binding, null, place) : null;
      if (options === null) throw errors.missingOn(place, type, attribute, node.raw);
      return this.attribute(attribute, options, place);
    }
    if (isStar && !mayFollow(binding, attribute)) return this.attribute(attribute, noOptions, place);
    const target = binding.schema.type(attribute.target);
    return this.attribute(attribute, optionsOfValue(binding, target, node.raw, place), place);
  }

  /** Binds an attribute with its options. Null if the caller may not read what it leads to. */
  attribute(attribute: LinkAttribute, options: PopulateOptions, place: PopulatePlace): Populated | null {
    const binding = this.#binding;
    const type = this.#type;
    const { populateChecks, populateResult } = binding.policies;
    checkOptions(binding, type, attribute, options, place);
    const isCounted = readCount(binding, attribute, options, place);
    if (isPolymorphic(attribute)) {
      const bindTarget = (target: EntryType, its: PopulateOptions, at: PopulatePlace) =>
        bindRelated(binding, target, its, at, attribute).related;
      const targets = new PolymorphicBinder(binding, attribute, place, bindTarget).targets(type, options);
      return targets && { ...populated(attribute, targets), count: isCounted && attribute.kind === 'polymorphic' };
    }
    const window =
      options.window ?? (binding.features.has('populateWindow') ? windowOf(options.raw, place) : undefined);
    if (options.on) throw unexpectedOn(binding, type, attribute, options.on, place);
    const target = binding.schema.type(attribute.target);
    if (exposesRoleMembers(type, attribute)) return null;
    if (omitIfUnreadable(binding, attribute, place)) {
      if (populateChecks.checksUnreadableOptions) bindRelated(unrestricted(binding), target, options, place, attribute);
      return null;
    }
    const { related, sort } = bindRelated(binding, target, options, place, attribute);
    const isFiltered = related.filter !== null && attribute.kind === 'relation' && attribute.many;
    return {
      attribute: attribute.name,
      count: isCounted && isCountable(attribute),
      wrapped: isFiltered && populateResult.wrapsFiltered,
      sort: sort.length > 0 ? sort : null,
      window,
      targets: { [target.uid]: related },
    };
  }
}

/** Binds the options of one populated type: filters, sort, fields and nested `populate`. */
function bindRelated(
  binding: Binding,
  target: EntryType,
  options: PopulateOptions,
  place: PopulatePlace,
  attribute: LinkAttribute,
): { related: RelatedSelection; sort: SortKey[] } {
  binding.budget.countPopulated();
  const filter = bindFilters(binding, target, options.filters, optionPart(place, 'filters'));
  const sort = bindSort(binding, target, options.sort, optionPart(place, 'sort'));
  const fields = bindFields(binding, target, options.fields, optionPart(place, 'fields'));
  const populate = bindPopulate(binding, target, options.populate);
  const rows = { schema: binding.schema, attribute, filter, sort };
  const selection = bindSelection(binding, target, fields, populate, rows);
  const shown = fields === null ? filter : binding.policies.selection.filterBesideFields(rows);
  return { related: { ...selection, filter: shown, everyStatus: false }, sort };
}
