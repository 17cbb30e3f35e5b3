import type { AttributeDescription, TypeDescription } from './describe-schema.ts';

const linkTypes: ReadonlySet<string> = new Set(['relation', 'media', 'component', 'dynamiczone', 'polymorphic']);

export function isLink({ type }: AttributeDescription): boolean {
  return linkTypes.has(type);
}

/** Returns the attributes of a type, in an order that does not depend on its definition. The ids come first. */
export function attributesInOrder({ attributes }: TypeDescription): AttributeDescription[] {
  const rank = (name: string) => ['id', 'documentId'].indexOf(name) >>> 0;
  return [...attributes].sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
}
