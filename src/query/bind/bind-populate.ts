import {
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type PolymorphicAttribute,
} from '../../model/schema.ts';
import type { Populated, RelatedSelection, SortKey } from '../bound.ts';
import type { Binding } from '../policies.ts';
import { attributePlace, optionPart, type Path, type PopulatePlace, populatePart } from '../syntax/location.ts';
import {
  type OptionsNode,
  optionsNode,
  type PopulateEntry,
  type PopulateNode,
  type PopulateOptions,
} from '../syntax/populate-nodes.ts';
import { bindFields, bindSelection } from './bind-fields.ts';
import { bindFilters } from './bind-filters.ts';
import { bindPaths } from './bind-paths.ts';
import { bindSort } from './bind-sort.ts';
import { mayFollow, unrestricted } from './context.ts';
import { collectReadableTargets, exposesRoleMembers, mayChoose, omitIfUnreadable } from './populate-access.ts';
import {
  checkFragmentOptions,
  checkOptions,
  checkPopulateOfSeveral,
  chosenType,
  plainOptions,
  readCount,
  unexpectedOn,
} from './populate-options.ts';
import { inSchemaOrder, isCountable, populatable, populated, withRequestedStatus } from './populated.ts';

/** The options of an attribute that is populated without any. */
const noOptions = optionsNode({}, { path: null, keyPath: null, typePath: null, url: '' });

/** Binds `populate` of a type. */
export function bindPopulate(binding: Binding, type: EntryType, node: PopulateNode | null): Populated[] {
  if (node === null) return [];
  const { place } = node;
  const bindEnd = (inner: Binding, of: EntryType, attribute: LinkAttribute, here: PopulatePlace) =>
    bindAttribute(inner, of, attribute, noOptions, here);
  switch (node.kind) {
    case 'star': {
      const bound = populatable(type).map((each) => bindEnd(binding, type, each, attributePlace(place, each.name)));
      return inSchemaOrder(type, bound);
    }
    case 'paths': {
      const paths = binding.policies.populate.readPaths(binding, type, node);
      return bindPaths(binding, type, paths, place, bindEnd);
    }
    case 'tree': {
      const { populate } = binding.policies;
      populate.checkLength(binding, node);
      const entries = populate.inOrderOfChecks(type, node.entries);
      return inSchemaOrder(
        type,
        entries.map((entry) => bindEntry(binding, type, entry, place)),
      );
    }
    default:
      return node satisfies never;
  }
}

/** Binds `populate[key]=…`. */
function bindEntry(binding: Binding, type: EntryType, entry: PopulateEntry, parent: PopulatePlace): Populated | null {
  const { key, place, value } = entry;
  const { errors, populate } = binding.policies;
  const attribute = type.attributes.get(key);
  if (!attribute && populate.ignoresKey(binding, type, key, value.raw, parent)) return null;
  const wrongName = (keyPath?: Path) => {
    const nameUse = { part: populatePart(parent), name: key, parent: parent.path, use: 'populate' } as const;
    return errors.wrongName(binding, type, { ...nameUse, value: value.raw, keyPath });
  };
  if (!attribute || isScalar(attribute)) throw wrongName(place.keyPath);
  if (!attribute.private) return bindOptions(binding, type, attribute, value, place);
  if (populate.checksPrivateOptions(binding.schema, attribute, value)) {
    bindOptions(unrestricted(binding), type, attribute, value, place);
  }
  throw wrongName();
}

/** Binds an attribute with the value of its key. Null if it is not populated. */
function bindOptions(
  binding: Binding,
  type: EntryType,
  attribute: LinkAttribute,
  node: OptionsNode,
  place: PopulatePlace,
): Populated | null {
  const { errors, casts, populate } = binding.policies;
  if (casts.isAbsent(node.raw)) return null;
  const flag = casts.flag(node.raw);
  if (flag === false) return null;
  if (!populate.checksUnreadableOptions && omitIfUnreadable(binding, attribute, place)) return null;
  if (isPolymorphic(attribute) && populate.ignoresAttribute(attribute, node)) {
    if (node.kind === 'options') checkPopulateOfSeveral(binding, type, attribute, node, place);
    return null;
  }
  if (flag === true) return bindAttribute(binding, type, attribute, noOptions, place);
  if (node.kind === 'options') {
    if (!isPolymorphic(attribute)) populate.checkLength(binding, node);
    return bindAttribute(binding, type, attribute, node, place);
  }
  const isStar = node.raw === '*';
  if (isPolymorphic(attribute)) {
    const options = isStar ? populate.starOptions(binding, null, place) : null;
    if (options === null) throw errors.missingOn(place, type, attribute, node.raw);
    return bindAttribute(binding, type, attribute, options, place);
  }
  const isUnreadable = isStar && !mayFollow(binding, attribute);
  const target = binding.schema.type(attribute.target);
  const options = isUnreadable ? noOptions : plainOptions(binding, target, node.raw, place);
  return bindAttribute(binding, type, attribute, options, place);
}

/** Binds one attribute with its options. Null if the caller may not read what it leads to. */
function bindAttribute(
  binding: Binding,
  type: EntryType,
  attribute: LinkAttribute,
  options: PopulateOptions,
  place: PopulatePlace,
): Populated | null {
  const { populate } = binding.policies;
  checkOptions(binding, type, attribute, options, place);
  const isCounted = readCount(binding, attribute, options, place);
  if (isPolymorphic(attribute)) {
    const targets = polymorphicTargets(binding, type, attribute, options, place);
    return targets && { ...populated(attribute, targets), count: isCounted && attribute.kind === 'polymorphic' };
  }
  if (options.on) throw unexpectedOn(binding, type, attribute, options.on, place);
  const target = binding.schema.type(attribute.target);
  if (exposesRoleMembers(type, attribute)) return null;
  if (omitIfUnreadable(binding, attribute, place)) {
    if (populate.checksUnreadableOptions) bindRelated(unrestricted(binding), target, options, place, attribute);
    return null;
  }
  const { related, sort } = bindRelated(binding, target, options, place, attribute);
  const isFiltered = related.filter !== null && attribute.kind === 'relation' && attribute.many;
  return {
    attribute: attribute.name,
    count: isCounted && isCountable(attribute),
    wrapped: isFiltered && populate.wrapsFiltered,
    sort: sort.length > 0 ? sort : null,
    window: options.window,
    targets: { [target.uid]: related },
  };
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

/**
 * Binds a dynamic zone or a polymorphic relation: every type alike, or with `on` only those that it names, each with
 * its own options. Null if the attribute is left out.
 */
function polymorphicTargets(
  binding: Binding,
  type: EntryType,
  attribute: PolymorphicAttribute,
  options: PopulateOptions,
  place: PopulatePlace,
): Record<string, RelatedSelection> | null {
  const { errors, populate } = binding.policies;
  const everyStatus = populate.showsEveryStatus(attribute);
  if (!options.on || options.on.raw === null) {
    checkPopulateOfSeveral(binding, type, attribute, options, place);
    const inner = options.populate ? optionsNode({ populate: '*' }, place) : noOptions;
    const selections = collectReadableTargets(binding, attribute, place).map((target) => {
      const { related } = bindRelated(binding, target, inner, place, attribute);
      return [target.uid, { ...related, populate: related.populate.map(withRequestedStatus), everyStatus }] as const;
    });
    return Object.fromEntries(selections);
  }
  const entries = populate.readOn(attribute, options.on);
  if (entries === null) throw errors.wrongOn(place, options.on.raw);
  const selections: Record<string, RelatedSelection> = {};
  let readsSome = false;
  for (const { key: uid, value, place: chosen } of entries) {
    const target = chosenType(binding, uid, place, attribute.components);
    const related = bindChosen(binding, target, value, chosen, attribute);
    if (!mayChoose(binding, attribute, target)) binding.omitted.push(`${place.typePath}.${uid}`);
    else {
      readsSome = true;
      if (related) selections[uid] = { ...related, everyStatus: everyStatus && value.kind === 'plain' };
    }
  }
  return readsSome || !populate.dropsUnreadable(attribute) ? selections : null;
}

/** Binds `on[uid]=…`. Null if the type is switched off by `false`, which a dynamic zone ignores. */
function bindChosen(
  binding: Binding,
  target: EntryType,
  node: OptionsNode,
  place: PopulatePlace,
  attribute: PolymorphicAttribute,
): RelatedSelection | null {
  const { casts, errors, populate } = binding.policies;
  if (node.kind === 'options') populate.checkLength(binding, node);
  if (node.raw === null) throw errors.notOptions(binding, place, target, node.raw);
  const flag = casts.flag(node.raw);
  if (flag === false && attribute.kind === 'polymorphic') return null;
  const isUnreadable = node.raw === '*' && !mayChoose(binding, attribute, target);
  const isPlain = flag !== null || isUnreadable;
  const options = isPlain ? noOptions : node.kind === 'options' ? node : plainOptions(binding, target, node.raw, place);
  checkFragmentOptions(binding, target, options, place);
  return bindRelated(binding, target, options, place, attribute).related;
}
