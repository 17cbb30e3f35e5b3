/** Content types and components with what names their tables. */
import type { AttributeDefinition, TypeDefinition } from '../../model/schema/type-definition.ts';
import { tableName } from './identifiers.ts';

/** A definition as Strapi registers it. */
export interface StoredType extends TypeDefinition {
  /** The table, before it is shortened. */
  readonly collectionName: string;
  /** The singular name in the columns that refer to the type. */
  readonly modelName: string;
}

/** How an attribute is stored, where the definition says so itself. */
export interface StoredAttribute extends AttributeDefinition {
  readonly relation?: string;
  readonly inversedBy?: string;
  readonly mappedBy?: string;
  readonly useJoinTable?: boolean;
  readonly columnName?: string;
  readonly joinColumn?: { readonly name?: string };
  readonly joinTable?: {
    readonly name: string;
    readonly joinColumn: { readonly name: string };
    readonly inverseJoinColumn?: { readonly name: string };
    readonly orderColumnName?: string;
    readonly inverseOrderColumnName?: string;
  };
  readonly morphColumn?: {
    readonly idColumn: { readonly name: string };
    readonly typeColumn: { readonly name: string };
  };
}

/** The definitions of all types, by uid. */
export class StoredTypes {
  readonly #types: ReadonlyMap<string, StoredType>;

  constructor(types: readonly StoredType[]) {
    this.#types = new Map(types.map((type) => [type.uid, type]));
  }

  has(uid: string): boolean {
    return this.#types.has(uid);
  }

  /** Returns the definition of a type. Throws if there is none. */
  type(uid: string): StoredType {
    const type = this.#types.get(uid);
    if (!type) throw new Error(`no stored type ${uid}`);
    return type;
  }

  /** Returns the table of a type. */
  tableOf(uid: string): string {
    return tableName(this.type(uid).collectionName);
  }

  /** Returns the definition of an attribute, or undefined for those that every type has. */
  attribute(uid: string, name: string): StoredAttribute | undefined {
    const { attributes } = this.type(uid);
    return Object.hasOwn(attributes, name) ? (attributes[name] as StoredAttribute) : undefined;
  }
}
