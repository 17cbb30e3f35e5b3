import { mayFind } from './access.ts';
import type { Scope } from './filter.ts';
import { isReadable, nestedType, type Populated, plain, type Selection } from './selection.ts';
import { type Attribute, Refused } from './snapshot.ts';
import { attributeOf, FILE, isPolymorphic, populatableNames, type Type } from './types.ts';

/** The depth of `populate=deep` and `populate=deep,3`; null for another value. */
export function readDepth(input: unknown): number | null {
  if (input === 'deep') return 5;
  if (typeof input !== 'string' || !input.startsWith('deep,')) return null;
  const depth = Number(input.slice('deep,'.length));
  if (!/^deep,\d+$/.test(input) || depth < 1 || depth > 10) throw new Refused(400, 'deep takes a depth from 1 to 10');
  return depth;
}

/**
 * Everything that the caller may read, `depth` levels down. `path` holds the content types on the way from the root: no
 * relation is followed into one of them.
 */
export function readDeep(scope: Scope, type: Type, depth: number, path: Type[]): Map<string, Populated> {
  const populate = new Map<string, Populated>();
  if (depth === 0 || type.uid === FILE) return populate;
  for (const name of populatableNames(type)) {
    const attribute = attributeOf(type, name)!;
    const types = typesOf(scope, attribute).filter((next) => next.kind === 'component' || !path.includes(next));
    if (types.length === 0 || !isReadable(scope, attribute)) continue;
    const below = (next: Type): Selection => {
      const longer = next.kind === 'component' ? path : [...path, next];
      return { fields: null, populate: readDeep(scope, next, depth - 1, longer) };
    };
    const isMixed = attribute.type === 'dynamiczone' || isPolymorphic(attribute);
    if (isMixed) populate.set(name, { ...plain(), on: new Map(types.map((next) => [next.uid, below(next)])) });
    else populate.set(name, { ...plain(), ...below(types[0]!) });
  }
  return populate;
}

function typesOf(scope: Scope, attribute: Attribute): Type[] {
  const { types, components } = scope.world;
  if (attribute.type === 'dynamiczone') return attribute.components!.map((uid) => components[uid]!);
  if (isPolymorphic(attribute)) return Object.values(types).filter((type) => mayFind(scope.access, type));
  return [nestedType(scope, attribute)];
}
