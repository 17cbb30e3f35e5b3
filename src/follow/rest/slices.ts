/** What requests for the rows of a type select and populate: targets as ids, components with their values. */
import {
  type Attribute,
  type EntryType,
  fileType,
  isLocalizations,
  isPolymorphic,
  isScalar,
  targetsAdministrators,
} from '../../model/schema/schema.ts';
import { isTarget, type ReadableType, type RestTypes } from './rest-types.ts';

/** Rows that are read together: all rows of a type, or those with the same status. */
export interface Slice {
  /** Unique, and usable in the name of a file. */
  readonly name: string;
  readonly readable: ReadableType;
  /** Null: the rows of both, as users and files have them, and types with drafts by the route of the plugin. */
  readonly status: Status | null;
  /**
   * Whether the slice only adds links to the rows of another one. A type without drafts has its rows once, but they may
   * link to drafts, which only `status=draft` shows.
   */
  readonly isOnlyLinks: boolean;
  /** What each request populates. At least one. */
  readonly parts: readonly (Populate | undefined)[];
}

/** Maximum length of `populate` in a URL. Proxies often refuse URLs of more than 8,000 characters. */
const maxPopulateLength = 5000;

/**
 * Returns the slices that hold all rows of a type, those with the values of the rows first. `maxLength` is the maximum
 * length of `populate` in a URL.
 */
export function slicesOf(types: RestTypes, readable: ReadableType, maxLength = maxPopulateLength): Slice[] {
  const { type, kind } = readable;
  const slice = (status: Status | null, isOnlyLinks = false): Slice => {
    const parts = populateParts(types, type, maxLength, isOnlyLinks);
    const name = `${type.uid.replaceAll('::', '.')}${status === null ? '' : `.${status}`}`;
    return { name, readable, status, isOnlyLinks, parts: parts.length > 0 ? parts : [undefined] };
  };
  if (kind === 'list') return [slice(null)];
  if (type.draftAndPublish) return [slice('published'), slice('draft')];
  return hasDraftLinks(types, type) ? [slice('published'), slice('draft', true)] : [slice('published')];
}

/** Whether rows of a type lead to rows with drafts, directly or through components. */
export function hasDraftLinks(types: RestTypes, type: EntryType): boolean {
  return Array.from(type.attributes.values()).some((attribute) => leadsToDrafts(types, attribute));
}

/** The value of `populate` for some attributes, as `qs` writes it. */
export type Populate = { [attribute: string]: true | { [key: string]: unknown } };

/** Which rows a request shows, as the parameter `status`. */
export type Status = 'published' | 'draft';

/** The parameters of a populated relation or media attribute: only the id, with which Strapi sends the documentId. */
const onlyId = { fields: ['id'] };

/**
 * Returns the parts of `populate` for the rows of a type, so that each part fits into a request. An attribute is in
 * several parts if it is large; then each part shows the same rows of it, with other attributes. With `onlyDrafts`,
 * returns only what `status=draft` may show differently for a type without drafts.
 */
function populateParts(types: RestTypes, type: EntryType, maxLength: number, onlyDrafts = false): Populate[] {
  const units = Array.from(type.attributes.values()).flatMap((attribute) =>
    unitsOf(types, attribute, maxLength, onlyDrafts).map((value) => ({ name: attribute.name, value })),
  );
  const parts: Populate[] = [];
  let length = 0;
  for (const { name, value } of units) {
    const added = lengthOf(`populate[${name}]`, value);
    const last = parts.at(-1);
    if (last && length + added <= maxLength && !Object.hasOwn(last, name)) {
      last[name] = value;
      length += added;
    } else {
      parts.push({ [name]: value });
      length = added;
    }
  }
  return parts;
}

/** Returns the values of `populate` for an attribute: none, one, or one for each component of a zone. */
function unitsOf(
  types: RestTypes,
  attribute: Attribute,
  maxLength: number,
  onlyDrafts: boolean,
): (true | Record<string, unknown>)[] {
  if (!isShown(types, attribute) || (onlyDrafts && !leadsToDrafts(types, attribute))) return [];
  if (attribute.kind !== 'dynamiczone') return [populateOf(types, attribute)];
  const components = attribute.components ?? [];
  const whole = components.map((uid) => [uid, populateComponent(types, uid)] as const);
  const bare = Object.fromEntries(components.map((uid) => [uid, true]));
  const nested = whole.filter(([, value]) => value !== true);
  if (lengthOf('', Object.fromEntries(whole)) <= maxLength || nested.length < 2) {
    return [{ on: Object.fromEntries(whole) }];
  }
  // a component that `on` does not name is left out of the reply, and its position would be lost
  return nested.map(([uid, value]) => ({ on: { ...bare, [uid]: value } }));
}

/** Whether replies show links of an attribute to entries that are read. */
export function isShown(types: RestTypes, attribute: Attribute): boolean {
  if (isScalar(attribute) || attribute.private || isLocalizations(attribute) || targetsAdministrators(attribute))
    return false;
  if (attribute.kind === 'relation') return attribute.unconnected !== true && isTarget(types, attribute.target);
  // `related` of files is derived from all media attributes
  return attribute.kind !== 'polymorphic' || attribute.owner;
}

function populateOf(types: RestTypes, attribute: Attribute): true | Record<string, unknown> {
  switch (attribute.kind) {
    case 'component':
      return populateComponent(types, attribute.target);
    case 'media':
      // files that cannot be listed are taken from the entries that show them
      return types.readable.has(fileType) ? onlyId : true;
    case 'relation':
      return onlyId;
    default:
      return true;
  }
}

function populateComponent(types: RestTypes, uid: string): true | Record<string, unknown> {
  const populate: Populate = {};
  for (const attribute of types.schema.type(uid).attributes.values()) {
    if (!isShown(types, attribute)) continue;
    const [value] =
      attribute.kind === 'dynamiczone'
        ? [
            {
              on: Object.fromEntries(
                (attribute.components ?? []).map((each) => [each, populateComponent(types, each)]),
              ),
            },
          ]
        : [populateOf(types, attribute)];
    populate[attribute.name] = value;
  }
  return Object.keys(populate).length === 0 ? true : { populate };
}

/** Whether an attribute leads to rows with drafts, directly or through components. */
function leadsToDrafts(types: RestTypes, attribute: Attribute): boolean {
  if (isScalar(attribute) || attribute.kind === 'media') return false;
  if (attribute.kind === 'polymorphic') return true;
  const targets = isPolymorphic(attribute) ? (attribute.components ?? []) : [attribute.target];
  return targets.some((uid) => {
    const target = types.schema.type(uid);
    if (target.kind !== 'component') return target.draftAndPublish;
    return Array.from(target.attributes.values()).some((each) => isShown(types, each) && leadsToDrafts(types, each));
  });
}

/** Returns the approximate length of a value in a query string. */
function lengthOf(key: string, value: unknown): number {
  if (typeof value !== 'object' || value === null) return key.length + String(value).length + 2;
  return Object.entries(value).reduce((total, [name, each]) => total + lengthOf(`${key}[${name}]`, each), 0);
}

/** Whether replies show the values of an attribute. */
export function isShownScalar(type: EntryType, name: string): boolean {
  const attribute = type.attributes.get(name);
  return attribute !== undefined && isScalar(attribute) && !attribute.private;
}
