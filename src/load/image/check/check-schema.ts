import { systemAttributes } from '../../../model/schema/read-schema.ts';
import {
  type Attribute,
  administratorType,
  type EntryType,
  fileType,
  isLocalizations,
  isPolymorphic,
  isRelation,
  isScalar,
  type LinkAttribute,
  type RelationAttribute,
  routeOf,
  type Schema,
} from '../../../model/schema/schema.ts';
import { type ContentDocuments, schemaOf } from '../describe-content.ts';

/**
 * Checks what a schema read from definitions always satisfies: every type has the attributes of its kind, and both ends
 * of each relation are there. Throws an Error that names the first type or attribute that is wrong.
 */
export function checkSchema(written: ContentDocuments['schema']): void {
  const schema = schemaOf(written);
  const names = new Set<string>();
  for (const { uid, attributes } of written) {
    if (names.has(uid)) throw wrong(uid, 'is there twice');
    names.add(uid);
    const type = schema.types.get(uid)!;
    if (type.attributes.size < attributes.length) throw wrong(uid, 'has two attributes with one name');
    checkSystemAttributes(type);
    for (const attribute of type.attributes.values()) checkLink(schema, type, attribute);
  }
  if (!schema.types.has(administratorType)) throw wrong(administratorType, 'is missing');
  checkRoutes(schema);
}

/** Every type has the attributes that queries rely on. Those at the start are public. */
function checkSystemAttributes({ uid, kind, attributes, localized }: EntryType): void {
  const names = [...attributes.keys()];
  const { first, last } = systemAttributes(uid, kind === 'component');
  for (const expected of [...first, ...last]) {
    const { name } = expected;
    const at = `${uid}, attribute ${name}`;
    const attribute = attributes.get(name);
    if (!attribute || !isLike(attribute, expected)) {
      throw wrong(
        at,
        isScalar(expected) ? `must have the type ${expected.type}` : 'must lead to the entries of its type',
      );
    }
    const place = first.indexOf(expected);
    if (place >= 0 && names[place] !== name) throw wrong(at, `must have the place ${place}`);
    const isPublic = place >= 0 || (name === 'locale' && localized);
    if (isPublic && attribute.private) throw wrong(at, 'must not be private');
  }
}

function isLike(attribute: Attribute, expected: Attribute): boolean {
  if (isScalar(attribute)) return isScalar(expected) && attribute.type === expected.type;
  if (!isRelation(attribute) || !isRelation(expected)) return false;
  const { kind, target, owner, inverse } = expected;
  return (
    attribute.kind === kind && attribute.target === target && attribute.owner === owner && attribute.inverse === inverse
  );
}

function checkLink(schema: Schema, { uid }: EntryType, attribute: Attribute): void {
  // the targets of private attributes need not exist, unless another type shows their links
  if (isScalar(attribute) || (attribute.private && !schema.storesLinks(attribute))) return;
  const at = `${uid}, attribute ${attribute.name}`;
  if (isPolymorphic(attribute)) {
    if ((attribute.components === null) !== (attribute.kind === 'polymorphic')) {
      throw wrong(at, 'must have components if it is a dynamic zone, and only then');
    }
    const unknown = attribute.components?.find((uid) => schema.types.get(uid)?.kind !== 'component');
    if (unknown !== undefined && !attribute.private) throw wrong(at, `has the unknown component ${unknown}`);
    return;
  }
  const target = schema.types.get(attribute.target);
  const isExpected = attribute.kind !== 'media' || attribute.target === fileType;
  if (!target || !isExpected || (target.kind === 'component') !== (attribute.kind === 'component')) {
    throw wrong(at, `has the unknown target ${attribute.target}`);
  }
  if (attribute.unconnected || isLocalizations(attribute)) return;
  if (attribute.inverse === null) {
    if (!attribute.owner) throw wrong(at, 'has neither links of its own nor an inverse side');
    return;
  }
  const inverse = target.attributes.get(attribute.inverse);
  if (!inverse || isScalar(inverse) || !isInverse(attribute, inverse, uid)) {
    throw wrong(at, `has the inverse side ${attribute.inverse}, which ${attribute.target} lacks`);
  }
}

/** Whether an attribute of the type `uid` is the other side of a link attribute. */
function isInverse(attribute: RelationAttribute, inverse: LinkAttribute, uid: string): boolean {
  if (!attribute.owner && !inverse.owner) return false;
  return isRelation(inverse) ? inverse.target === uid : attribute.fromPolymorphic === true;
}

/** Routes are case-insensitive. */
function checkRoutes({ types }: Schema): void {
  const taken = new Set<string>();
  for (const type of types.values()) {
    if (!type.uid.startsWith('api::') || type.kind === 'component') continue;
    const route = routeOf(type).toLowerCase();
    if (route === '' || route.includes('/') || taken.has(route))
      throw wrong(type.uid, `cannot have the route ${route}`);
    taken.add(route);
  }
}

function wrong(place: string, what: string): Error {
  return new Error(`its section schema: ${place} ${what}`);
}
