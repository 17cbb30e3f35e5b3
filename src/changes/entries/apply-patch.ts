/** Makes the operations of a patch on an entry or component as JSON. */
import { validate } from '../../core/describe-problem.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { didYouMean } from '../../core/suggest.ts';
import { describeInvalidKey } from '../../load/entry-writer.ts';
import {
  type Attribute,
  type EntryType,
  isPolymorphic,
  isScalar,
  type LinkAttribute,
  type Schema,
} from '../../model/schema/schema.ts';
import { isAddedComponent } from '../batch/entry-tree.ts';
import { relationAttributes } from '../batch/stored-links.ts';
import { componentPatch, type NodePatch, onlyComponentPatch, operations } from './node-patch.ts';
import {
  addComponents,
  type ComponentList,
  findComponent,
  moveComponents,
  removeComponents,
  typeOfComponent,
} from './patch-components.ts';
import { connect, disconnect, order, type ReferenceList } from './patch-references.ts';
import { tooManyPlaces } from './positions.ts';
import type { WrittenValues } from './written-entries.ts';

/** What a patch is applied to, besides the values. */
export interface PatchedContent {
  readonly schema: Schema;
  readonly problems: Problems;
  /** Returns the references of an entry or component in an attribute that its values leave out. */
  referencesOf(type: EntryType, attribute: LinkAttribute, values: WrittenValues): readonly unknown[];
  hasDocument(type: EntryType, documentId: string): boolean;
  /** Returns given values of an entry or component without what follows from other entries. */
  asWritten(type: EntryType, given: WrittenValues, values: WrittenValues, location: string): WrittenValues;
}

type Operation = (typeof operations)[number];

const operands: Readonly<Record<Exclude<Operation, 'set'>, 'references' | 'components'>> = {
  disconnect: 'references',
  connect: 'references',
  order: 'references',
  remove: 'components',
  components: 'components',
  add: 'components',
  move: 'components',
};

/** Returns the values after a patch. Reports what cannot be done at its place in the patch, and does the rest. */
export function applyPatch(
  type: EntryType,
  values: WrittenValues,
  patch: NodePatch,
  location: string,
  content: PatchedContent,
): WrittenValues {
  const patched = { ...values };
  for (const operation of operations) {
    const given = patch[operation];
    if (!given) continue;
    const at = `${location}.${operation}`;
    if (operation === 'set') setValues(type, patched, given, at, content);
    else
      for (const [name, operand] of Object.entries(given)) {
        const attribute = attributeFor(type, name, operation, at, content.problems);
        const items = attribute && itemsOf(type, attribute, patched, content);
        const list = items && { ...content, attribute: attribute!, items, location: `${at}.${name}` };
        const value = list && changed(operation, list, operand, content);
        if (value !== null && value !== undefined) patched[name] = attribute!.many ? value : (value[0] ?? null);
      }
  }
  return patched;
}

/** The names that say which entry or component it is. */
const entryNames = ['id', 'documentId', 'locale', 'status'];
const componentNames = ['id', '__component'];

function setValues(
  type: EntryType,
  patched: WrittenValues,
  given: WrittenValues,
  location: string,
  content: PatchedContent,
): void {
  const { schema, problems } = content;
  const names = type.kind === 'component' ? componentNames : entryNames;
  const stored = type.kind === 'component' ? { __component: type.uid, ...patched } : patched;
  for (const [name, value] of Object.entries(content.asWritten(type, given, patched, location))) {
    const attribute = type.attributes.get(name);
    const isIdentity = names.includes(name) && (name !== 'status' || !attribute);
    const before = stored[name as keyof typeof stored] ?? null;
    if (isIdentity && value === before) continue;
    if (isIdentity && before !== null) {
      problems.add(
        location,
        () => `"${name}" is ${preview(before)}, and a patch cannot change it to ${preview(value)}`,
      );
      continue;
    }
    const wrong = describeInvalidKey(type, name, attribute);
    if (wrong) problems.add(location, wrong);
    else patched[name] = attribute && holdsComponents(attribute) ? withAllLinks(schema, attribute, value) : value;
  }
}

/** Returns the attribute of an operation. Returns null and reports an unknown one, or one of another kind. */
function attributeFor(
  type: EntryType,
  name: string,
  operation: Exclude<Operation, 'set'>,
  location: string,
  problems: Problems,
): LinkAttribute | null {
  const attribute = type.attributes.get(name);
  const wantsComponents = operands[operation] === 'components';
  const isFitting = (other: Attribute): other is LinkAttribute =>
    !isScalar(other) && other.owner && holdsComponents(other) === wantsComponents;
  const invalid = describeInvalidKey(type, name, attribute);
  if (attribute && !invalid && isFitting(attribute)) return attribute;
  const what = wantsComponents ? 'components' : 'relations or media';
  const known = Array.from(type.attributes.values()).filter(
    (other) => isFitting(other) && !describeInvalidKey(type, other.name, other),
  );
  const hint = attribute
    ? ''
    : didYouMean(
        name,
        known.map((other) => other.name),
      );
  problems.add(
    location,
    attribute ? (invalid?.() ?? `attribute "${name}" holds no ${what}`) : `unknown attribute ${preview(name)}${hint}`,
  );
  return null;
}

/**
 * Returns the components or references of an attribute as a list. Returns null for a wrong value, which the check of the
 * entry reports.
 */
function itemsOf(
  type: EntryType,
  attribute: LinkAttribute,
  values: WrittenValues,
  content: PatchedContent,
): readonly unknown[] | null {
  const value = Object.hasOwn(values, attribute.name) ? (values[attribute.name] ?? []) : undefined;
  if (value === undefined) return holdsComponents(attribute) ? [] : content.referencesOf(type, attribute, values);
  const items = [value].flat();
  const isList = Array.isArray(value) && (attribute.many || items.length === 0);
  if (!isList && (attribute.many || Array.isArray(value))) return null;
  return holdsComponents(attribute) && !items.every(isPlainObject) ? null : items;
}

/** Returns the items after an operation, or null if there is nothing to change. */
function changed(
  operation: Exclude<Operation, 'set'>,
  list: ReferenceList,
  operand: unknown,
  content: PatchedContent,
): readonly unknown[] | null {
  if (operation === 'components') return patchComponents(list as ComponentList, operand, content);
  // the form of a patch has a list for all other operations
  const given = operand as readonly unknown[];
  if (operation === 'connect') return connect(list, given);
  if (operation === 'order') return order(list, given);
  if (operation === 'disconnect') return disconnect(list, given, content.hasDocument);
  const { attribute, location, problems } = list;
  if (!attribute.many) {
    problems.add(location, `the attribute holds one component: replace or remove it by "set"`);
    return null;
  }
  const components = list as ComponentList;
  if (operation === 'move') return moveComponents(components, given);
  if (operation === 'remove') return removeComponents(components, given);
  return addComponents(components, given, (component, at) => {
    const type = typeOfComponent(list.schema, attribute, component);
    const [written] = type ? [content.asWritten(type, component, {}, at)] : [null];
    if (!written) {
      const uids = isPolymorphic(attribute) ? attribute.components?.join(', ') : attribute.target;
      problems.add(at, `"__component" must be one of ${uids}, not ${preview(component.__component)}`);
      return null;
    }
    return { ...(withAllLinks(list.schema, attribute, written) as WrittenValues), [isAddedComponent]: true };
  });
}

/** Patches the only component of an attribute, or those of a list that the operand names. */
function patchComponents(
  list: ComponentList,
  operand: unknown,
  content: PatchedContent,
): readonly WrittenValues[] | null {
  const { attribute, location, problems, schema } = list;
  if (attribute.many !== Array.isArray(operand)) {
    problems.add(
      location,
      () => `expected ${attribute.many ? 'a list of patches' : 'one patch'}, not ${preview(operand)}`,
    );
    return null;
  }
  let { items } = list;
  const patches = [operand].flat();
  const excess = tooManyPlaces(items.length, patches.length);
  if (excess) problems.add(location, excess);
  if (excess) return null;
  for (const [i, given] of patches.entries()) {
    const at = attribute.many ? `${location}[${i}]` : location;
    const patch = validate(attribute.many ? componentPatch : onlyComponentPatch, given, at, problems);
    if (!patch) continue;
    const { id, __component, ...operationsOnIt } = patch;
    if (items.length === 0 && !attribute.many) {
      problems.add(at, 'there is no component to patch: give a whole one by "set"');
      continue;
    }
    const component = id === undefined ? items[0] : findComponent({ ...list, items }, { id, __component }, at);
    const type = component && typeOfComponent(schema, attribute, component);
    if (!component || !type) continue;
    const patched = applyPatch(type, component, operationsOnIt as NodePatch, at, content);
    items = items.map((item) => (item === component ? patched : item));
  }
  return items;
}

function holdsComponents({ kind }: Attribute): boolean {
  return kind === 'component' || kind === 'dynamiczone';
}

/**
 * Returns the components of an attribute with all their relations: those that they leave out are null, because the patch
 * would keep the stored ones otherwise.
 */
function withAllLinks(schema: Schema, attribute: Attribute, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withAllLinks(schema, attribute, item));
  const type = isScalar(attribute) ? null : typeOfComponent(schema, attribute, value);
  if (!type || !isPlainObject(value)) return value;
  const complete: WrittenValues = { ...value };
  for (const { name } of relationAttributes(schema, type)) if (!Object.hasOwn(complete, name)) complete[name] = null;
  for (const inner of type.attributes.values()) {
    if (holdsComponents(inner) && Object.hasOwn(complete, inner.name)) {
      complete[inner.name] = withAllLinks(schema, inner, complete[inner.name]);
    }
  }
  return complete;
}
