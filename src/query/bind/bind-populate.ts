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
  type OnNode,
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
import { collectReadableTargets, exposesRoleMembers, mayUseFragment, omitIfUnreadable } from './populate-access.ts';
import {
  checkFragmentOptions,
  checkOptions,
  checkPopulateOfSeveral,
  fragmentType,
  optionsOfValue,
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
      const paths = binding.policies.populateSyntax.readPaths(binding, type, node);
      return bindPaths(binding, type, paths, place, bindEnd);
    }
    case 'tree': {
      const { populateSyntax, populateChecks } = binding.policies;
      populateSyntax.checkLength(binding, node);
      const entries = populateChecks.inOrderOfChecks(type, node.entries);
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
  const { errors, populateChecks } = binding.policies;
  const attribute = type.attributes.get(key);
  if (!attribute && populateChecks.ignoresKey(binding, type, key, value.raw, parent)) return null;
  const wrongName = (keyPath?: Path) => {
    const nameUse = { part: populatePart(parent), name: key, parent: parent.path, use: 'populate' } as const;
    return errors.wrongName(binding, type, { ...nameUse, value: value.raw, keyPath });
  };
  if (!attribute || isScalar(attribute)) throw wrongName(place.keyPath);
  if (!attribute.private) return bindValue(binding, type, attribute, value, place);
  if (populateChecks.checksPrivateOptions(binding.schema, attribute, value)) {
    bindValue(unrestricted(binding), type, attribute, value, place);
  }
  throw wrongName();
}

/** Binds an attribute with the value of its key. Null if it is not populated. */
function bindValue(
  binding: Binding,
  type: EntryType,
  attribute: LinkAttribute,
  node: OptionsNode,
  place: PopulatePlace,
): Populated | null {
  const { errors, casts, populateSyntax, populateChecks, populateResult } = binding.policies;
  if (casts.isAbsent(node.raw)) return null;
  const flag = casts.flag(node.raw);
  if (flag === false) return null;
  if (!populateChecks.checksUnreadableOptions && omitIfUnreadable(binding, attribute, place)) return null;
  if (isPolymorphic(attribute) && populateResult.leavesOut(attribute, node)) {
    if (node.kind === 'options') checkPopulateOfSeveral(binding, type, attribute, node, place);
    return null;
  }
  if (flag === true) return bindAttribute(binding, type, attribute, noOptions, place);
  if (node.kind === 'options') {
    if (!isPolymorphic(attribute)) populateSyntax.checkLength(binding, node);
    return bindAttribute(binding, type, attribute, node, place);
  }
  const isStar = node.raw === '*';
  if (isPolymorphic(attribute)) {
    const options = isStar ? populateSyntax.starOptions(binding, null, place) : null;
    if (options === null) throw errors.missingOn(place, type, attribute, node.raw);
    return bindAttribute(binding, type, attribute, options, place);
  }
  const isUnreadable = isStar && !mayFollow(binding, attribute);
  const target = binding.schema.type(attribute.target);
  const options = isUnreadable ? noOptions : optionsOfValue(binding, target, node.raw, place);
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
  const { populateChecks, populateResult } = binding.policies;
  checkOptions(binding, type, attribute, options, place);
  const isCounted = readCount(binding, attribute, options, place);
  if (isPolymorphic(attribute)) {
    const targets = bindPolymorphic(binding, type, attribute, options, place);
    return targets && { ...populated(attribute, targets), count: isCounted && attribute.kind === 'polymorphic' };
  }
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

/** Binds a dynamic zone or a polymorphic relation. Null if it is left out. */
function bindPolymorphic(
  binding: Binding,
  type: EntryType,
  attribute: PolymorphicAttribute,
  options: PopulateOptions,
  place: PopulatePlace,
): Record<string, RelatedSelection> | null {
  if (options.on && options.on.raw !== null) return bindFragments(binding, attribute, options.on, place);
  checkPopulateOfSeveral(binding, type, attribute, options, place);
  const everyStatus = binding.policies.populateResult.servesEveryStatus(attribute);
  const inner = options.populate ? optionsNode({ populate: '*' }, place) : noOptions;
  const selections = collectReadableTargets(binding, attribute, place).map((target) => {
    const { related } = bindRelated(binding, target, inner, place, attribute);
    return [target.uid, { ...related, populate: related.populate.map(withRequestedStatus), everyStatus }] as const;
  });
  return Object.fromEntries(selections);
}

/** Binds the fragments of `on`: the types that it names, each with its own options. Null if the attribute is left out. */
function bindFragments(
  binding: Binding,
  attribute: PolymorphicAttribute,
  on: OnNode,
  place: PopulatePlace,
): Record<string, RelatedSelection> | null {
  const { errors, populateSyntax, populateResult } = binding.policies;
  const everyStatus = populateResult.servesEveryStatus(attribute);
  const entries = populateSyntax.readOn(attribute, on);
  if (entries === null) throw errors.wrongOn(place, on.raw);
  const selections: Record<string, RelatedSelection> = {};
  let readsSome = false;
  for (const { key: uid, value, place: fragment } of entries) {
    const target = fragmentType(binding, uid, place, attribute.components);
    const related = bindFragment(binding, target, value, fragment, attribute);
    if (!mayUseFragment(binding, attribute, target)) binding.omitted.push(`${place.typePath}.${uid}`);
    else {
      readsSome = true;
      if (related) selections[uid] = { ...related, everyStatus: everyStatus && value.kind === 'value' };
    }
  }
  return readsSome || !populateResult.leavesOutUnreadable(attribute) ? selections : null;
}

/** Binds `on[uid]=…`. Null if the type is switched off by `false`, which a dynamic zone ignores. */
function bindFragment(
  binding: Binding,
  target: EntryType,
  node: OptionsNode,
  place: PopulatePlace,
  attribute: PolymorphicAttribute,
): RelatedSelection | null {
  const { casts, errors, populateSyntax } = binding.policies;
  if (node.kind === 'options') populateSyntax.checkLength(binding, node);
  if (node.raw === null) throw errors.notOptions(binding, place, target, node.raw);
  const flag = casts.flag(node.raw);
  if (flag === false && attribute.kind === 'polymorphic') return null;
  const isUnreadable = node.raw === '*' && !mayUseFragment(binding, attribute, target);
  const hasNoOptions = flag !== null || isUnreadable;
  const options = hasNoOptions
    ? noOptions
    : node.kind === 'options'
      ? node
      : optionsOfValue(binding, target, node.raw, place);
  checkFragmentOptions(binding, target, options, place);
  return bindRelated(binding, target, options, place, attribute).related;
}
