import type { TypeDescription } from '../describe-schema.ts';
import { typeNameOf } from '../type-names.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * The named schemas of a document. One that nothing refers to is never defined. Names are given in the order of the
 * first references, so equal content gets equal names.
 */
export class Components {
  readonly #types: ReadonlyMap<string, string>;
  readonly #taken = new Set<string>();
  /** By what they are for. */
  readonly #names = new Map<string, string>();
  readonly #schemas = new Map<string, JsonSchema>();

  /** Content types and components have the names of their TypeScript interfaces. `types` is in the order of the uids. */
  constructor(types: readonly TypeDescription[]) {
    this.#types = new Map(types.map((type) => [type.uid, this.#take(componentName(typeNameOf(type)))]));
  }

  /** Returns the name of a type. */
  nameOf(uid: string): string {
    return this.#types.get(uid)!;
  }

  /** Returns a reference to the schema of the entries of a type. */
  ofEntries(uid: string, define: () => JsonSchema): JsonSchema {
    return this.#refer(this.nameOf(uid), define);
  }

  /** Returns a reference to a schema that belongs to a type: `ArticlesFilters`. */
  ofType(uid: string, suffix: string, define: () => JsonSchema): JsonSchema {
    return this.#refer(this.#nameFor(`${uid} ${suffix}`, this.nameOf(uid) + suffix), define);
  }

  /** Returns a reference to a schema that types share. `key` tells schemas with the same wish for a name apart. */
  shared(name: string, define: () => JsonSchema, key = ''): JsonSchema {
    return this.#refer(this.#nameFor(` ${name} ${key}`, name), define);
  }

  /** All schemas, in the order of their names. */
  get schemas(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #nameFor(use: string, wish: string): string {
    const name = this.#names.get(use) ?? this.#take(wish);
    this.#names.set(use, name);
    return name;
  }

  #take(wish: string): string {
    const name = this.#taken.has(wish) ? this.#take(`${wish}_`) : wish;
    this.#taken.add(name);
    return name;
  }

  #refer(name: string, define: () => JsonSchema): JsonSchema {
    if (!this.#schemas.has(name)) {
      // a schema may refer to itself
      this.#schemas.set(name, {});
      this.#schemas.set(name, define());
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** OpenAPI takes only ASCII in names. Other characters become their code point between hyphens. */
function componentName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/gu, (character) => `-${character.codePointAt(0)!.toString(16)}-`);
}
