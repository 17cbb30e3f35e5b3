import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Attribute {
  name: string;
  /** As Strapi calls it, such as `string` or `manyToMany`. */
  type: string;
  kind: 'scalar' | 'json' | 'relation' | 'component' | 'zone';
  /** The type that a relation leads to, or the uid of a component. */
  target?: string;
  /** Whether the value is a list. */
  many: boolean;
  /** Whether this side of a relation holds the references. */
  owner: boolean;
  /** The attribute on the other side of a relation. */
  inverse?: string;
}

/** A content type, or a component. */
export interface Type {
  /** The singular name, or the uid of a component. */
  name: string;
  /** The name in URLs; empty for a component. */
  plural: string;
  /** In the order in which they are served, `id` and `documentId` first. */
  attributes: Attribute[];
}

interface Definition {
  info: { singularName: string; pluralName: string };
  pluginOptions?: { i18n?: { localized?: boolean } };
  attributes: Record<string, Declared>;
}

interface Declared {
  type: string;
  relation?: string;
  target?: string;
  inversedBy?: string;
  mappedBy?: string;
  component?: string;
  repeatable?: boolean;
  private?: boolean;
}

/**
 * The content model of a JSON snapshot, as peers need it. Left out, because no query names them: private attributes,
 * media, polymorphic relations, the user type with the relations to it, and inverse relations from types without
 * locales to types with locales, which lead to entries in all locales.
 */
export class Schema {
  readonly types: Type[] = [];
  readonly #byName = new Map<string, Type>();
  readonly #localized = new Map<string, boolean>();

  constructor(snapshot: string) {
    const types = definitions(join(snapshot, 'content-types')).filter(([, { info }]) => info.singularName !== 'user');
    for (const [, { info, pluginOptions }] of types) {
      this.#localized.set(info.singularName, pluginOptions?.i18n?.localized === true);
    }
    for (const [, { info, attributes }] of types) {
      const last = ['createdAt', 'updatedAt', 'publishedAt'].map((name) => scalar(name, 'datetime'));
      if (this.#localized.get(info.singularName)) last.push(scalar('locale', 'string'));
      const own = this.#read(info.singularName, attributes);
      const all = [scalar('id', 'integer'), scalar('documentId', 'string'), ...own, ...last];
      this.types.push({ name: info.singularName, plural: info.pluralName, attributes: all });
    }
    const components = definitions(join(snapshot, 'components')).map(([path, { attributes }]): Type => {
      const name = path.replace(/[/\\]/g, '.');
      return { name, plural: '', attributes: [scalar('id', 'integer'), ...this.#read(name, attributes)] };
    });
    for (const type of [...this.types, ...components]) this.#byName.set(type.name, type);
  }

  /** By singular name, or by the uid of a component. */
  type(name: string): Type {
    const type = this.#byName.get(name);
    if (!type) throw new Error(`no type ${name}; there are ${[...this.#byName.keys()].join(', ')}`);
    return type;
  }

  /** The attributes that a path names, each with the type that has it. */
  path(type: string, names: string[]): { type: string; attribute: Attribute }[] {
    let holder = type;
    return names.map((name) => {
      const step = { type: holder, attribute: this.attribute(holder, name) };
      holder = step.attribute.target ?? holder;
      return step;
    });
  }

  attribute(type: string, name: string): Attribute {
    const found = this.type(type).attributes.find((attribute) => attribute.name === name);
    if (!found) throw new Error(`${type} has no attribute ${name}`);
    return found;
  }

  #read(type: string, attributes: Record<string, Declared>): Attribute[] {
    return Object.entries(attributes).flatMap(([name, declared]): Attribute[] => {
      const { type: word, component, repeatable = false } = declared;
      if (declared.private || word === 'password' || word === 'media') return [];
      if (word === 'relation') return this.#readRelation(type, name, declared);
      if (word === 'dynamiczone') return [{ name, type: word, kind: 'zone', many: true, owner: true }];
      if (word === 'component') {
        return [{ name, type: word, kind: 'component', target: component, many: repeatable, owner: true }];
      }
      return [{ ...scalar(name, word), kind: ['json', 'blocks', 'array'].includes(word) ? 'json' : 'scalar' }];
    });
  }

  #readRelation(type: string, name: string, { relation = '', target: uid = '', mappedBy, inversedBy }: Declared) {
    const target = uid.split('.')[1];
    const isPlain = uid.startsWith('api::') && !relation.startsWith('morph');
    const [from, to] = mappedBy ? [type, target] : [target, type];
    const isInverseKept = this.#localized.get(from) || !this.#localized.get(to);
    if (!isPlain || (mappedBy && !isInverseKept)) return [];
    const inverse = isInverseKept ? (mappedBy ?? inversedBy) : undefined;
    const attribute: Attribute = { ...scalar(name, relation), kind: 'relation', target, inverse };
    return [{ ...attribute, many: relation.endsWith('Many'), owner: mappedBy === undefined }];
  }
}

function scalar(name: string, type: string): Attribute {
  return { name, type, kind: 'scalar', many: false, owner: true };
}

/** The definitions in a folder with their paths, without `.json`. */
function definitions(folder: string): [string, Definition][] {
  const all = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const files = all.filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => [file.slice(0, -5), JSON.parse(readFileSync(join(folder, file), 'utf8'))]);
}
