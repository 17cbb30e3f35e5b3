/** Random patches of the articles of content.ts. */
import type { Random } from '../property/random.ts';
import { author } from './content.ts';
import type { Entry, Operations } from './naive-patch.ts';

/** The documents that patches refer to. All of them exist. */
export interface Pools {
  readonly authors: readonly string[];
  readonly articles: readonly string[];
  readonly files: readonly string[];
}

const words = ['red', 'green', 'blue', '', 'é'];

/** Draws patches whose components have ids that no other component has. */
export class RandomPatches {
  readonly #random: Random;
  readonly #pools: Pools;
  #lastId = 10_000;

  constructor(random: Random, pools: Pools) {
    this.#random = random;
    this.#pools = pools;
  }

  /** Draws operations on an article as it is read. */
  ofArticle(entry: Entry): Operations {
    const random = this.#random;
    const { authors, articles, files } = this.#pools;
    const operations: Operations = {};
    const add = (operation: string, name: string, operand: unknown) => {
      operations[operation] = { ...operations[operation], [name]: operand };
    };
    const subject = (documentId: string) => ({ __type: author, documentId });
    if (random.chance(60)) add('set', 'title', random.pick(words));
    if (random.chance(20)) add('set', 'rating', random.chance(50) ? null : random.integer(0, 3));
    if (random.chance(15)) add('set', 'seo', random.chance(30) ? null : this.#seo());
    if (random.chance(10))
      add(
        'set',
        'cards',
        random.many(0, 2, () => this.#card()),
      );
    if (random.chance(10)) add('set', 'related', random.some(articles, 0, 3));
    if (random.chance(15)) add('set', 'cover', random.chance(30) ? null : random.pick(files));
    if (random.chance(20)) add('disconnect', 'related', random.some(articles, 0, 2));
    if (random.chance(10)) add('disconnect', 'author', [random.pick(authors)]);
    if (random.chance(20)) add('connect', 'author', [random.pick(authors)]);
    const related = this.#naive(entry, operations, 'related', articles);
    if (random.chance(40)) add('connect', 'related', [this.#connection(random.pick(articles), related)]);
    if (random.chance(20)) add('connect', 'subjects', [this.#placed(subject(random.pick(authors)))]);
    const connected = this.#naive(entry, operations, 'related', articles);
    if (random.chance(20) && connected.length > 0) add('order', 'related', random.some(connected, 1, connected.length));
    for (const name of ['cards', 'blocks']) this.#changeList(entry, operations, name, add);
    if (operations.set?.seo === undefined && entry.seo && random.chance(30)) {
      add('components', 'seo', { set: this.#seoValues() });
    }
    return operations;
  }

  #changeList(entry: Entry, operations: Operations, name: string, add: (...given: [string, string, unknown]) => void) {
    const random = this.#random;
    // components of a list that is set have no ids yet
    if (operations.set?.[name] !== undefined) return;
    let items = entry[name] as (Entry & { id: number })[];
    if (random.chance(20) && items.length > 0) {
      const removed = random.pick(items);
      add('remove', name, [keyOf(removed)]);
      items = items.filter((item) => item !== removed);
    }
    if (random.chance(40) && items.length > 0) {
      add(
        'components',
        name,
        random.some(items, 1, items.length).map((item) => ({ ...nameOf(item), ...this.#ofComponent(item) })),
      );
    }
    const keys = items.map(keyOf);
    const position = () => {
      const kind = random.pick(keys.length > 0 ? ['before', 'after', 'start', 'end'] : ['start', 'end']);
      return { [kind]: kind === 'start' || kind === 'end' ? true : random.pick(keys) };
    };
    if (random.chance(30)) {
      // beyond the ids that the content has given meanwhile
      const id = (this.#lastId += 1000);
      const isCard = name === 'cards' || random.chance(50);
      const values = isCard ? this.#card() : this.#seo();
      const component = {
        ...(name === 'blocks' && { __component: isCard ? 'shared.card' : 'shared.seo' }),
        id,
        ...values,
      };
      add('add', name, [{ component, ...(random.chance(60) && { position: position() }) }]);
      keys.push(keyOf(component));
    }
    if (random.chance(30) && keys.length > 0) {
      const key = random.pick(keys);
      add('move', name, [{ ...(typeof key === 'number' ? { id: key } : key), position: position() }]);
    }
  }

  /** Operations on a card, or on a component for search engines. */
  #ofComponent(item: Entry): Operations {
    const random = this.#random;
    if (!('text' in item)) return { set: this.#seoValues() };
    return {
      set: { text: random.pick(words) },
      ...(random.chance(30) && { connect: { author: [random.pick(this.#pools.authors)] } }),
      ...(item.seo && random.chance(30) ? { components: { seo: { set: this.#seoValues() } } } : {}),
    } as Operations;
  }

  #seoValues(): Entry {
    const random = this.#random;
    return { metaTitle: random.pick(words), ...(random.chance(30) && { picture: random.pick(this.#pools.files) }) };
  }

  #seo(): Entry {
    return this.#random.chance(50) ? this.#seoValues() : {};
  }

  #card(): Entry {
    const random = this.#random;
    return {
      text: random.pick(words),
      ...(random.chance(50) && { author: random.pick(this.#pools.authors) }),
      ...(random.chance(50) && { seo: this.#seo() }),
    };
  }

  #placed(reference: Entry): Entry {
    return this.#random.chance(50) ? { ...reference, position: { start: true } } : reference;
  }

  #connection(documentId: string, connected: readonly string[]): unknown {
    const random = this.#random;
    if (random.chance(30)) return documentId;
    const kind = random.pick(connected.length > 0 ? ['before', 'after', 'start', 'end'] : ['start', 'end']);
    const position = { [kind]: kind === 'start' || kind === 'end' ? true : random.pick(connected) };
    return { documentId, position };
  }

  /** The documents of a relation after the operations so far. */
  #naive(entry: Entry, { set, disconnect, connect }: Operations, name: string, known: readonly string[]): string[] {
    const before = ((set?.[name] ?? entry[name]) as unknown[]).map((item) => documentOf(item));
    const left = before.filter((id) => !((disconnect?.[name] ?? []) as string[]).includes(id));
    const added = ((connect?.[name] ?? []) as unknown[]).map((item) => documentOf(item));
    return [...new Set([...left, ...added])].filter((id) => known.includes(id));
  }
}

/** Components of a dynamic zone are named with their type: those of different types may have one id. */
function nameOf({ id, __component }: Entry): Entry {
  return { id, ...(__component !== undefined && { __component }) };
}

function keyOf(item: Entry): number | Entry {
  return item.__component === undefined ? (item.id as number) : nameOf(item);
}

function documentOf(item: unknown): string {
  return typeof item === 'string' ? item : ((item as Entry).documentId as string);
}
