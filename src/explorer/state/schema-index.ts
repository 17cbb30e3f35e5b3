/** The schema that the server describes, as the page looks it up. */
import type {
  AttributeDescription,
  RouteDescription,
  SchemaDescription,
  TypeDescription,
} from '../../description/describe-schema.ts';

/** Returns the route that answers a path below the prefix, or null. */
export function routeOf({ routes }: SchemaDescription, path: string): RouteDescription | null {
  const parts = path.split('/');
  const fits = (template: readonly string[]) =>
    template.length === parts.length && template.every((part, i) => part === parts[i] || part.startsWith(':'));
  const fitting = routes.filter((route) => fits(route.path.split('/')));
  return fitting.find((route) => route.path === path) ?? fitting[0] ?? null;
}

/** Returns the type of a uid, or null. */
export function typeOf({ types }: SchemaDescription, uid: string | null): TypeDescription | null {
  return types.find((type) => type.uid === uid) ?? null;
}

/** Returns the type that a link leads to, or null for scalars and links to several types. */
export function targetOf(schema: SchemaDescription, { type, targets }: AttributeDescription): TypeDescription | null {
  return type === 'dynamiczone' || targets.length !== 1 ? null : typeOf(schema, targets[0]);
}

const linkTypes: ReadonlySet<string> = new Set(['relation', 'media', 'component', 'polymorphic', 'dynamiczone']);

/** Returns whether an attribute leads to other entries. */
export function isLink({ type }: AttributeDescription): boolean {
  return linkTypes.has(type);
}

/** Returns whether the server always shows an attribute. */
export function isAlwaysShown(name: string): boolean {
  return name === 'id' || name === 'documentId';
}

/** Returns the names of the attributes that `fields` chooses from. */
export function fieldNames({ attributes }: TypeDescription): string[] {
  return attributes.filter((each) => !isLink(each) && !isAlwaysShown(each.name)).map(({ name }) => name);
}

/** Returns the names of the attributes that `populate=*` stands for. */
export function linkNames({ attributes }: TypeDescription): string[] {
  return attributes.filter(isLink).map(({ name }) => name);
}

/** Returns whether the values of an attribute have an order. */
export function isOrdered({ operators }: AttributeDescription): boolean {
  return operators.includes('$lt');
}

/** Returns the attribute by which people know an entry: its name or title, or its first text. */
export function labelOf({ attributes }: TypeDescription): AttributeDescription {
  const texts = attributes.filter(({ type, name }) => type === 'string' && !/^(?:documentId|locale)$/.test(name));
  return texts.find(({ name }) => /^(?:name|title|label)$/i.test(name)) ?? texts[0] ?? attributes[0];
}

/** Returns the lists that the page offers, those of content types first. */
export function listedTypes({ types }: SchemaDescription): TypeDescription[] {
  const listed = types.filter(({ route }) => route !== null);
  const isOwn = ({ uid }: TypeDescription) => uid.startsWith('api::');
  return [...listed.filter(isOwn), ...listed.filter((type) => !isOwn(type))];
}
