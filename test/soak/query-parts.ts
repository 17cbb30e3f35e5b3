import type { Random } from '../../bench/random.ts';
import { listedTypes } from '../../src/http/home/examples.ts';
import type { Content } from '../../src/index.ts';
import { systemNames } from '../../src/model/schema/type-definition.ts';

interface Type {
  readonly route: string;
  readonly scalars: readonly string[];
  readonly links: readonly { readonly name: string; readonly target: string }[];
}

const sortable =
  'string text richtext enumeration email uid date time datetime timestamp integer biginteger float decimal boolean';

/** Names for queries that fit a content model, drawn at random. */
export class QueryParts {
  readonly #types = new Map<string, Type>();
  /** Collections with relations to collections. */
  readonly #linked: readonly Type[];

  /** `content` determines what callers without a token may read. */
  constructor(content: Content) {
    const types = listedTypes(content);
    for (const { route, kind, ...type } of types) {
      if (kind !== 'collectionType' || route.includes('/')) continue;
      const attributes = type.attributes.filter(({ name }) => !systemNames.has(name));
      const scalars = attributes.filter(({ type }) => sortable.split(' ').includes(type)).map(({ name }) => name);
      const links = attributes.flatMap(({ name, type, targets }) => {
        const target = type === 'relation' && types.find(({ uid }) => uid === targets[0]);
        return target ? [{ name, target: target.route }] : [];
      });
      this.#types.set(route, { route, scalars: ['id', 'documentId', 'createdAt', ...scalars], links });
    }
    this.#linked = [...this.#types.values()].filter((type) => this.#onward(type).length > 0);
  }

  /** The route of a collection with relations. */
  route(random: Random): string {
    return random.pick(this.#linked).route;
  }

  scalar(route: string, random: Random): string {
    return random.pick(this.#types.get(route)!.scalars);
  }

  /** A dotted path of about so many relations that ends at a scalar attribute. */
  path(route: string, hops: number, random: Random): string {
    const names: string[] = [];
    let type = this.#types.get(route)!;
    for (let hop = 0; hop < hops; hop++) {
      const onward = this.#onward(type);
      if (onward.length === 0) break;
      const { name, target } = random.pick(onward);
      names.push(name);
      type = this.#types.get(target)!;
    }
    return [...names, random.pick(type.scalars)].join('.');
  }

  /** Relations to collections that have relations, too. */
  #onward({ links }: Type): Type['links'] {
    return links.filter(({ target }) => (this.#types.get(target)?.links.length ?? 0) > 0);
  }
}

/** A few letters, numbers or parts of dates. */
export function needle(random: Random): string {
  const letters = 'etaoinshrdlu0123456789-_.';
  return Array.from({ length: random.integer(1, 3) }, () => random.pick([...letters])).join('');
}
