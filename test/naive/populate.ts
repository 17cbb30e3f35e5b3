import { mayFind } from './access.ts';
import { readDeep, readDepth } from './deep.ts';
import { readFilter, type Scope } from './filter.ts';
import { readWindow } from './page.ts';
import { isReadable, nestedType, type Populated, plain, readEverything, type Selection } from './selection.ts';
import { type Attribute, isObject, Refused, Unspecified } from './snapshot.ts';
import { ownNames, readSort } from './sort.ts';
import {
  attributeOf,
  FILE,
  isHidden,
  isPolymorphic,
  isScalar,
  populatableNames,
  servedNames,
  type Type,
  USER,
} from './types.ts';
import { readWord } from './values.ts';

/** The `fields` parameter: null for all fields. */
export function readFields(type: Type, input: unknown): string[] | null {
  if (input === '') throw new Unspecified('empty fields');
  if (input === undefined || input === '*') return null;
  const names = typeof input === 'string' ? input.split(',') : input;
  if (!Array.isArray(names)) throw new Refused(400, 'fields must be text or a list');
  for (const name of names) {
    if (typeof name !== 'string') throw new Refused(400, 'a field must be text');
    if (name === 'locale' && !type.localized) throw new Unspecified('locale of a type without locales');
    if (name === 'id' || (name === 'documentId' && type.kind !== 'component')) continue;
    if (!servedNames(type).includes(name)) throw new Refused(400, `Invalid key ${name}`);
  }
  return [...names] as string[];
}

/** The `populate` parameter of the query itself. */
export function readRootPopulate(scope: Scope, type: Type, input: unknown): Map<string, Populated> {
  const depth = scope.world.features.has('deepPopulate') ? readDepth(input) : null;
  return depth === null ? readPopulate(scope, type, input) : readDeep(scope, type, depth, [type]);
}

/** The `populate` parameter in any of its forms. */
export function readPopulate(scope: Scope, type: Type, input: unknown): Map<string, Populated> {
  const populate = new Map<string, Populated>();
  if (input === undefined || input === '') return populate;
  const named = scope.world.features.has('deepPopulate') ? besideStar(input) : null;
  if (named !== null) {
    const everything = readEverything(scope, type);
    const chosen = readPopulate(scope, type, named);
    for (const name of isObject(named) ? Object.keys(named) : []) if (!chosen.has(name)) everything.delete(name);
    for (const [name, populated] of chosen) everything.set(name, populated);
    return everything;
  }
  if (isObject(input)) {
    for (const name of Object.keys(input)) readKey(scope, type, populate, name, input[name]);
    return populate;
  }
  if (input === '*') return readEverything(scope, type);
  const paths = typeof input === 'string' ? input.split(',') : input;
  if (!Array.isArray(paths)) throw new Refused(400, 'populate must be text, a list or an object');
  for (const [i, path] of paths.entries()) {
    if (typeof path !== 'string') throw new Refused(400, 'a populate item must be text');
    const names = path.split('.');
    // in a list the recorded server lets a later path take the place of one that begins alike
    if (scope.dialect === 'strapi' && Array.isArray(input)) {
      const isReplaced = paths
        .slice(i + 1)
        .some((later) => path.startsWith(`${later}.`) || String(later).startsWith(`${path}.`));
      if (isReplaced) {
        mustBeValid(() => readPath(scope, type, new Map(), names));
        continue;
      }
    }
    // the recorded server leaves such a path out with its head; of a text it knows no commas when it looks for one
    const looked = typeof input === 'string' ? input.split('.') : names;
    if (scope.dialect === 'strapi' && leadsToUnreadable(scope, type, looked)) {
      mustBeValid(() => readPath(scope, type, new Map(), names));
    } else readPath(scope, type, populate, names);
  }
  return populate;
}

/** What stands beside a star in a list or an object, or null if there is no star beside others. */
function besideStar(input: unknown): unknown {
  if (Array.isArray(input) && input.includes('*')) return input.filter((item) => item !== '*');
  if (!isObject(input) || input['*'] === undefined) return null;
  const { '*': star, ...named } = input;
  if (star !== true && star !== 'true') throw new Refused(400, 'the star takes true');
  return named;
}

function readPath(scope: Scope, type: Type, populate: Map<string, Populated>, names: string[]): void {
  const [name, ...rest] = names as [string, ...string[]];
  const attribute = populatable(type, name);
  if (!isReadable(scope, attribute)) {
    if (rest.length > 0 && scope.dialect === 'strapi')
      mustBeValid(() => readPath(scope, nestedType(scope, attribute), new Map(), rest));
    return;
  }
  if (!populate.has(name)) populate.set(name, plain());
  if (rest.length === 0) return;
  readPath(scope, nestedType(scope, attribute), populate.get(name)!.populate, rest);
}

function leadsToUnreadable(scope: Scope, type: Type, [name, ...rest]: string[]): boolean {
  const attribute = attributeOf(type, name!);
  if (!attribute || isScalar(attribute)) return false;
  if (!isReadable(scope, attribute)) return true;
  const leadsOn = attribute.type === 'component' || (attribute.type === 'relation' && attribute.target !== undefined);
  return leadsOn && rest.length > 0 && leadsToUnreadable(scope, nestedType(scope, attribute), rest);
}

function readKey(scope: Scope, type: Type, populate: Map<string, Populated>, name: string, value: unknown): void {
  const attribute = populatable(type, name);
  if (scope.dialect === 'document') return readDocumentKey(scope, attribute, populate, name, value);
  if (value === false || value === 'false') return;
  if (value === '*' && attribute.target && hasNothing(scope.world.types[attribute.target]!)) {
    throw new Unspecified('* in the place of options, of a type that has nothing to populate');
  }
  if (value !== true && value !== 'true' && !isObject(value)) throw new Refused(400, `Invalid populate of ${name}`);
  if (!isReadable(scope, attribute)) {
    if (isObject(value)) mustBeValid(() => readOptions(scope, attribute, value));
    return;
  }
  populate.set(name, isObject(value) ? readOptions(scope, attribute, value) : plain());
}

/** Where the specification decides, a star stands for everything below. */
function readDocumentKey(
  scope: Scope,
  attribute: Attribute,
  populate: Map<string, Populated>,
  name: string,
  value: unknown,
): void {
  const flag = isObject(value) ? null : readWord(String(value), 'document');
  if (flag === false) return;
  // what stands below what may not be read is not looked at
  if (!isReadable(scope, attribute)) return;
  const options = value === '*' ? { populate: '*' } : value;
  if (flag !== true && !isObject(options)) throw new Refused(400, `Invalid populate of ${name}`);
  populate.set(name, isObject(options) ? readOptions(scope, attribute, options) : plain());
}

function readOptions(scope: Scope, attribute: Attribute, options: Record<string, unknown>): Populated {
  if (Object.keys(options).length === 0) throw new Unspecified('empty populate options');
  const isMixed = attribute.type === 'dynamiczone' || isPolymorphic(attribute);
  const windowed = scope.world.features.has('populateWindow') && !isMixed ? ['start', 'limit', 'page', 'pageSize'] : [];
  for (const key of Object.keys(options)) {
    if (!['fields', 'filters', 'sort', 'populate', 'count', 'on', ...windowed].includes(key)) {
      // the recorded server does not look at the options of a polymorphic relation
      if (scope.dialect === 'strapi' && isPolymorphic(attribute)) throw new Unspecified(`${key} of several types`);
      throw new Refused(400, `Invalid key ${key}`);
    }
  }
  const populated = plain();
  if (isMixed) return readMixed(scope, attribute, options);
  if (options.on !== undefined) throw new Unspecified('on of one type');
  const type = nestedType(scope, attribute);
  populated.fields = readFields(type, options.fields);
  if (options.filters !== undefined) {
    if (attribute.type === 'media' || attribute.morphBy) throw new Unspecified('filter of populated media');
    populated.filter = readFilter(scope, type, options.filters);
  }
  if (options.sort !== undefined) populated.sort = readSort(scope, type, options.sort);
  if (scope.dialect === 'strapi' && populated.fields) {
    if (populated.sort.some((key) => key.path.length > 0)) throw new Unspecified('fields beside a joining sort');
    populated.fields.push(...ownNames(populated.sort));
  }
  populated.populate = readNestedPopulate(scope, type, options.populate);
  populated.window = readWindow(options);
  populated.count = options.count === true || options.count === 'true';
  return populated;
}

/** What stands below a relation that is left out is not served; whether it is still checked is not settled. */
function mustBeValid(read: () => void): void {
  try {
    read();
  } catch {
    throw new Unspecified('mistake below a relation whose type may not be read');
  }
}

/** Options of a dynamic zone or a polymorphic relation. */
function readMixed(scope: Scope, attribute: Attribute, options: Record<string, unknown>): Populated {
  const keys = Object.keys(options);
  const populated = plain();
  if (keys.length === 1 && options.populate === '*') {
    if (scope.dialect === 'strapi' && isPolymorphic(attribute)) throw new Unspecified('* below a polymorphic relation');
    populated.everything = true;
    return populated;
  }
  if (keys.length !== 1 || !isObject(options.on)) throw new Unspecified('options of items of several types');
  populated.on = new Map();
  for (const [uid, value] of Object.entries(options.on)) {
    const type = attribute.type === 'dynamiczone' ? scope.world.components[uid] : scope.world.types[uid];
    if (!type || (attribute.components && !attribute.components.includes(uid))) {
      throw new Refused(400, `Invalid key ${uid}`);
    }
    if (value === true || value === 'true') populated.on.set(uid, plain());
    else if (isObject(value)) populated.on.set(uid, readSelection(scope, type, value));
    else throw new Unspecified('populate of a component that is neither true nor an object');
  }
  const types = [...populated.on.keys()].map((uid) => scope.world.types[uid]);
  if (
    scope.dialect === 'strapi' &&
    isPolymorphic(attribute) &&
    !types.some((type) => type && mayFind(scope.access, type))
  ) {
    throw new Unspecified('on of nothing that may be read');
  }
  return populated;
}

function readSelection(scope: Scope, type: Type, options: Record<string, unknown>): Selection {
  if (!Object.keys(options).every((key) => key === 'fields' || key === 'populate')) {
    throw new Unspecified('filters and sort of items of several types');
  }
  return { fields: readFields(type, options.fields), populate: readNestedPopulate(scope, type, options.populate) };
}

function readNestedPopulate(scope: Scope, type: Type, input: unknown): Map<string, Populated> {
  if (scope.dialect === 'strapi' && typeof input === 'string' && input.includes(',')) {
    throw new Unspecified('a nested comma list: only one at the root is recorded');
  }
  return readPopulate(scope, type, input);
}

function hasNothing(type: Type): boolean {
  return type.uid === FILE || type.uid === USER || populatableNames(type).length === 0;
}

function populatable(type: Type, name: string): Attribute {
  const attribute = attributeOf(type, name);
  if (!attribute || isHidden(attribute) || isScalar(attribute)) throw new Refused(400, `Invalid key ${name}`);
  return attribute;
}
