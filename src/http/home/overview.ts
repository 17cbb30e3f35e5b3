import type { StoreEngine } from '../../engine/store-engine.ts';
import type { PermissionSet } from '../../model/access/permissions.ts';
import { type Attribute, isPolymorphic, isScalar } from '../../model/schema/schema.ts';
import { systemNames } from '../../model/schema/type-definition.ts';

/** One attribute as a caller sees it. `target` is the route of the content type that a relation or medium leads to. */
export interface AttributeOverview {
  name: string;
  type: string;
  target?: string;
}

/** One content type that a caller may read. */
export interface TypeOverview {
  route: string;
  kind: 'collectionType' | 'singleType';
  attributes: AttributeOverview[];
}

/** Returns the types that may be read with these permissions, with the attributes of their own. */
export function overviewOf({ store, catalog }: StoreEngine, permissions: PermissionSet): TypeOverview[] {
  const { routes } = catalog;
  const readable = store.collections.flatMap(({ type }) => {
    const route = type.kind === 'component' ? null : routes.pathOf(type.uid);
    return route !== null && permissions.allows(routes.find(route)!.action) ? [{ type, route }] : [];
  });
  const routeOf = new Map(readable.map(({ type, route }) => [type.uid, route]));
  const attributeOf = (attribute: Attribute): AttributeOverview[] => {
    const { name } = attribute;
    if (attribute.private || systemNames.has(name)) return [];
    const type = isScalar(attribute) ? attribute.type : attribute.kind;
    if (isScalar(attribute) || isPolymorphic(attribute)) return [{ name, type }];
    const target = routeOf.get(attribute.target);
    return target === undefined ? [] : [{ name, type, target }];
  };
  return readable.map(({ type, route }) => ({
    route,
    kind: type.kind as TypeOverview['kind'],
    attributes: Array.from(type.attributes.values()).flatMap(attributeOf),
  }));
}
