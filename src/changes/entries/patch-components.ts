/** Changes lists of components: the operations of a patch on repeatable components and dynamic zones. */
import type { z } from 'zod';
import { validate } from '../../core/describe-problem.ts';
import { isPlainObject } from '../../core/plain-object.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { type EntryType, isPolymorphic, type LinkAttribute, type Schema } from '../../model/schema/schema.ts';
import { addedComponent, type ComponentKey, componentKey, movedComponent, type Position } from './node-patch.ts';
import { insert, isNextTo, remove, tooManyPlaces } from './positions.ts';
import type { WrittenValues } from './written-entries.ts';

/** The components of an attribute that holds several, and where problems of an operation on them are reported. */
export interface ComponentList {
  readonly schema: Schema;
  readonly problems: Problems;
  readonly attribute: LinkAttribute;
  readonly items: readonly WrittenValues[];
  readonly location: string;
}

/** `complete` returns a component as it is added, or null if it is wrong. */
export function addComponents(
  list: ComponentList,
  operands: readonly unknown[],
  complete: (component: WrittenValues, location: string) => WrittenValues | null,
): readonly WrittenValues[] {
  const items = [...list.items];
  for (const [given, at] of readEach(list, operands, addedComponent)) {
    const component = complete(given.component, `${at}.component`);
    const position = given.position === undefined ? null : readPosition({ ...list, items }, given.position, at);
    if (!component || (given.position !== undefined && !position)) continue;
    insert(items, component, position);
  }
  return items;
}

export function moveComponents(list: ComponentList, operands: readonly unknown[]): readonly WrittenValues[] {
  const items = [...list.items];
  for (const [given, at] of readEach(list, operands, movedComponent)) {
    const { position: givenPosition, ...key } = given;
    const component = findComponent({ ...list, items }, key, at);
    const position = readPosition({ ...list, items }, givenPosition, at);
    if (!component || !position || isNextTo(position, component)) continue;
    remove(items, component);
    insert(items, component, position);
  }
  return items;
}

export function removeComponents(list: ComponentList, operands: readonly unknown[]): readonly WrittenValues[] {
  const items = [...list.items];
  for (const [key, at] of readEach(list, operands, componentKey)) {
    const component = findComponent({ ...list, items }, key, at);
    if (component) remove(items, component);
  }
  return items;
}

/** Returns the component that a key names. Returns null and reports the key if there is none, or if there are two. */
export function findComponent(list: ComponentList, key: ComponentKey, location: string): WrittenValues | null {
  const { attribute, problems } = list;
  const { id, __component: uid } = typeof key === 'number' ? { id: key, __component: undefined } : key;
  const found = list.items.filter((item) => item.id === id && (uid === undefined || uidOf(attribute, item) === uid));
  if (found.length === 1) return found[0];
  const named = uid === undefined ? `with id ${id}` : `${preview(uid)} with id ${id}`;
  if (found.length > 1) {
    const types = found.map((item) => preview(uidOf(attribute, item))).join(' and ');
    problems.add(location, `there are two components ${named}, ${types}: name one by "__component"`);
  } else problems.add(location, () => `no component ${named}: ${describeItems(list)}`);
  return null;
}

/** Returns the type of a component in an attribute, or null if it is none that the attribute accepts. */
export function typeOfComponent(schema: Schema, attribute: LinkAttribute, item: unknown): EntryType | null {
  const uid = isPlainObject(item) ? uidOf(attribute, item) : undefined;
  const isAccepted = !isPolymorphic(attribute) || attribute.components?.includes(uid as string);
  return isAccepted && typeof uid === 'string' ? schema.type(uid) : null;
}

function uidOf(attribute: LinkAttribute, item: WrittenValues): unknown {
  return isPolymorphic(attribute) ? item.__component : attribute.target;
}

/** Maximum number of components that a message lists. */
const maxListed = 10;

function describeItems({ attribute, items }: ComponentList): string {
  const known = items.filter(({ id }) => typeof id === 'number');
  if (known.length === 0) return `the attribute holds ${items.length === 0 ? 'none' : 'none with an id'}`;
  const named = known.slice(0, maxListed).map((item) => {
    return isPolymorphic(attribute) ? `${item.id} (${item.__component})` : `${item.id}`;
  });
  return `the attribute holds ${named.join(', ')}${known.length > maxListed ? ', …' : ''}`;
}

/** Yields each valid operand with its location, and reports the others. Yields none if that would take too long. */
function* readEach<Form extends z.ZodType>(
  { items, location, problems }: ComponentList,
  operands: readonly unknown[],
  form: Form,
): Generator<[z.output<Form>, string]> {
  const excess = tooManyPlaces(items.length + operands.length, operands.length);
  if (excess) return problems.add(location, excess);
  for (const [i, operand] of operands.entries()) {
    const at = `${location}[${i}]`;
    const read = validate(form, operand, at, problems);
    if (read !== null) yield [read, at];
  }
}

function readPosition(
  list: ComponentList,
  position: Position<ComponentKey>,
  location: string,
): Position<WrittenValues> | null {
  if ('start' in position || 'end' in position) return position;
  const isBefore = 'before' in position;
  const component = findComponent(list, isBefore ? position.before : position.after, `${location}.position`);
  if (!component) return null;
  return isBefore ? { before: component } : { after: component };
}
