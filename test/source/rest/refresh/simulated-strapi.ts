/** A Strapi that writes its rows and links as Strapi 5 does: a publish replaces the published row by one with a new id. */
import type { StrapiContent } from '../../../../src/load/strapi/strapi-content.ts';
import type { TypeDefinition } from '../../../../src/model/schema/type-definition.ts';
import type { Random } from '../../../strapi/random.ts';

export const uids = {
  article: 'api::article.article',
  author: 'api::author.author',
  tag: 'api::tag.tag',
  home: 'api::home.home',
  user: 'plugin::users-permissions.user',
} as const;

export type Name = keyof typeof uids;

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
});

interface Link {
  readonly owner: string;
  readonly source: number;
  readonly attribute: string;
  readonly target: string;
  readonly to: number;
  place: number;
  inversePlace: number;
}

interface Row {
  readonly id: number;
  readonly documentId: string;
  readonly published: boolean;
  values: Record<string, unknown>;
}

/** The attributes that own links. */
const relations = {
  article: { author: 'author', tags: 'tag', related: 'article', editor: 'user' },
  author: {},
  tag: {},
  home: { featured: 'article' },
  user: { favourites: 'article' },
} as const satisfies Record<Name, Record<string, Name>>;

const card = 'shared.card';
const names = Object.keys(uids) as Name[];
const drafted: readonly Name[] = ['article', 'author'];

const date = (type: string) => ({ type, configurable: false, writable: true });
const system = { createdAt: date('datetime'), updatedAt: date('datetime'), publishedAt: date('datetime') };

function contentType(name: Name, attributes: TypeDefinition['attributes']): TypeDefinition {
  return {
    uid: uids[name],
    location: name,
    component: false,
    kind: name === 'home' ? 'singleType' : 'collectionType',
    info: { singularName: name, pluralName: `${name}s` },
    options: { draftAndPublish: drafted.includes(name) },
    attributes: { ...attributes, ...system },
  };
}

export const definitions: readonly TypeDefinition[] = [
  contentType('article', {
    title: { type: 'string' },
    author: relation('manyToOne', uids.author, { inversedBy: 'articles' }),
    tags: relation('manyToMany', uids.tag, { inversedBy: 'articles' }),
    related: relation('manyToMany', uids.article),
    editor: relation('manyToOne', uids.user, { inversedBy: 'articles' }),
    cards: { type: 'component', component: card, repeatable: true },
  }),
  contentType('author', {
    title: { type: 'string' },
    articles: relation('oneToMany', uids.article, { mappedBy: 'author' }),
  }),
  contentType('tag', {
    title: { type: 'string' },
    articles: relation('manyToMany', uids.article, { mappedBy: 'tags' }),
  }),
  contentType('user', {
    title: { type: 'string' },
    articles: relation('oneToMany', uids.article, { mappedBy: 'editor' }),
    favourites: relation('manyToMany', uids.article),
    cards: { type: 'component', component: card, repeatable: true },
  }),
  contentType('home', { title: { type: 'string' }, featured: relation('oneToMany', uids.article) }),
  {
    uid: card,
    location: card,
    component: true,
    attributes: {
      text: { type: 'string' },
      author: relation('oneToOne', uids.author),
      picks: relation('manyToMany', uids.article),
    },
  },
  { uid: 'shared.note', location: 'shared.note', component: true, attributes: { text: { type: 'string' } } },
];

/** What a webhook of Strapi says. */
export interface Event {
  readonly event: string;
  readonly uid: string;
  readonly documentId: string;
}

export class SimulatedStrapi {
  readonly #random: Random;
  readonly #rows: Record<Name, Map<number, Row>> = {
    article: new Map(),
    author: new Map(),
    tag: new Map(),
    home: new Map(),
    user: new Map(),
  };
  #links: Link[] = [];
  #id = 0;
  #time = 0;
  #place = 0;

  /** Creates a home page, and some documents of the other types. */
  constructor(random: Random, documents: number) {
    this.#random = random;
    this.create('home');
    for (const name of ['author', 'tag', 'user', 'article'] as const)
      for (let i = 0; i < documents; i++) this.create(name);
    for (let i = 0; i < documents * 2; i++) this.act();
  }

  documents(name: Name): string[] {
    return [...new Set(Array.from(this.#rows[name].values(), ({ documentId }) => documentId))];
  }

  /**
   * Makes a random change and returns its events. Adds documents whose own values or links were edited to `written`, and
   * neither edits nor deletes those that are in it.
   */
  act(written = new Set<string>()): Event[] {
    const random = this.#random;
    const name = random.pick(['article', 'article', 'article', 'author', 'tag', 'user', 'home'] as const);
    const documents = this.documents(name);
    const action = random.pick(['create', 'update', 'update', 'publish', 'publish', 'unpublish', 'delete'] as const);
    if (documents.length === 0 || (action === 'create' && name !== 'home')) {
      const event = this.create(name);
      written.add(event.documentId);
      return [event];
    }
    const documentId = random.pick(documents);
    if (action === 'publish') return this.publish(name, documentId);
    if (action === 'unpublish') return this.unpublish(name, documentId);
    if (written.has(documentId)) return [];
    written.add(documentId);
    if (action === 'delete' && name !== 'home' && documents.length > 3) return [this.delete(name, documentId)];
    return [this.update(name, documentId)];
  }

  create(name: Name): Event {
    const documentId = `${name}-${++this.#id}`;
    const row = this.#add(name, documentId, !drafted.includes(name));
    this.#edit(name, row);
    return { event: 'entry.create', uid: uids[name], documentId };
  }

  update(name: Name, documentId: string): Event {
    const row = this.#version(name, documentId, !drafted.includes(name))!;
    this.#edit(name, row);
    return { event: 'entry.update', uid: uids[name], documentId };
  }

  publish(name: Name, documentId: string): Event[] {
    if (!drafted.includes(name)) return [];
    const draft = this.#version(name, documentId, false)!;
    const old = this.#version(name, documentId, true);
    const linksTo = (id: number) => this.#links.filter((link) => link.target === uids[name] && link.to === id);
    const [own, moved] = old ? [this.#ownLinks(uids[name], old.id), linksTo(old.id)] : [[], []];
    // links of types without drafts are copied when the document is published for the first time
    const copied = old ? [] : linksTo(draft.id).filter(({ owner }) => owner !== uids.article && owner !== card);
    if (old) this.#remove(name, old.id);
    const row = this.#add(name, documentId, true);
    row.values = { ...draft.values, publishedAt: this.#now(), cards: this.#copyCards(draft) };
    this.#copyLinks(uids[name], draft.id, row.id);
    for (const link of this.#ownLinks(uids[name], row.id)) {
      const earlier = own.find(({ attribute, to }) => attribute === link.attribute && to === link.to);
      if (earlier) link.inversePlace = earlier.inversePlace;
    }
    for (const link of [...moved, ...copied]) {
      if (link.source !== old?.id || link.owner !== uids[name]) this.#links.push({ ...link, to: row.id });
    }
    return [{ event: 'entry.publish', uid: uids[name], documentId }];
  }

  unpublish(name: Name, documentId: string): Event[] {
    const row = drafted.includes(name) ? this.#version(name, documentId, true) : undefined;
    if (!row) return [];
    this.#remove(name, row.id);
    return [{ event: 'entry.unpublish', uid: uids[name], documentId }];
  }

  delete(name: Name, documentId: string): Event {
    for (const row of [...this.#rows[name].values()]) if (row.documentId === documentId) this.#remove(name, row.id);
    return { event: 'entry.delete', uid: uids[name], documentId };
  }

  /**
   * Removes an article from a tag and adds it again, so that the link is the last of both lists. Returns no event if no
   * article has a link that is the last of neither.
   */
  moveLink(): Event[] {
    const ofTags = this.#links.filter(({ attribute }) => attribute === 'tags');
    const isPublished = ({ source }: Link) => this.#rows.article.get(source)!.published;
    const moved = ofTags.find((link) => {
      const isAfter = (one: Link) => one.source === link.source && one.place > link.place;
      const isBelow = (one: Link) =>
        one.to === link.to && isPublished(one) === isPublished(link) && one.inversePlace > link.inversePlace;
      return ofTags.some(isAfter) && ofTags.some(isBelow);
    });
    if (!moved) return [];
    moved.place = ++this.#place;
    moved.inversePlace = ++this.#place;
    return [{ event: 'entry.update', uid: uids.tag, documentId: this.#rows.tag.get(moved.to)!.documentId }];
  }

  /** Discards a draft that was never published, which deletes it. No event says so. */
  discardNew(name: Name, documentId: string): Event[] {
    if (this.#version(name, documentId, true)) throw new Error(`${documentId} is published`);
    this.#remove(name, this.#version(name, documentId, false)!.id);
    return [];
  }

  /** The present content as an export has it. */
  get content(): StrapiContent {
    const stages = { entities: this.#rowLines(), links: this.#linkLines(), configuration: [] };
    return {
      strapiVersion: '5.54.0',
      types: definitions,
      has: () => true,
      each: async (stage, take) => {
        for (const [i, line] of stages[stage].entries()) take(line, `${stage}:${i}`);
      },
      uploadedFiles: async () => null,
    };
  }

  #rowLines(): Record<string, unknown>[] {
    return names.flatMap((name) =>
      Array.from(this.#rows[name].values(), ({ id, documentId, values }) => {
        return { type: uids[name], id, data: { documentId, ...values } };
      }),
    );
  }

  /**
   * Positions count from 1 in each list that the API shows: published rows and drafts are in different ones, except in the
   * lists of users.
   */
  #linkLines(): Record<string, unknown>[] {
    const isPublished = ({ source, to }: Link) =>
      names.every((name) => [source, to].every((id) => this.#rows[name].get(id)?.published ?? true));
    return this.#links.map((link) => {
      const { owner, source, attribute, target, to } = link;
      const ofAttribute = this.#links.filter((one) => one.owner === owner && one.attribute === attribute);
      const ofStatus = ofAttribute.filter((one) => isPublished(one) === isPublished(link));
      const ofOwner = owner === uids.user || this.#isCardOfUser(link) ? ofAttribute : ofStatus;
      const ofTarget = target === uids.user ? ofAttribute : ofStatus;
      const own = ofOwner.filter((one) => one.source === source).sort((a, b) => a.place - b.place);
      const inverse = ofTarget.filter((one) => one.to === to).sort((a, b) => a.inversePlace - b.inversePlace);
      const isListed = owner === uids.article && attribute !== 'related';
      return {
        left: { type: owner, ref: source, field: attribute, pos: own.indexOf(link) + 1 },
        right: { type: target, ref: to, ...(isListed && { pos: inverse.indexOf(link) + 1 }) },
      };
    });
  }

  #isCardOfUser({ owner, source }: Link): boolean {
    const cards = Array.from(this.#rows.user.values(), ({ values }) => (values.cards ?? []) as { id: number }[]).flat();
    return owner === card && cards.some(({ id }) => id === source);
  }

  /** Each time is a later one. */
  #now(): string {
    this.#time = Math.max(this.#time + 1, Date.now());
    return new Date(this.#time).toISOString();
  }

  #version(name: Name, documentId: string, published: boolean): Row | undefined {
    return this.#versions(name, documentId).find((row) => row.published === published);
  }

  #versions(name: Name, documentId: string): Row[] {
    return [...this.#rows[name].values()].filter((row) => row.documentId === documentId);
  }

  #ownLinks(owner: string, source: number): Link[] {
    return this.#links.filter((link) => link.owner === owner && link.source === source);
  }

  #add(name: Name, documentId: string, published: boolean): Row {
    const row = { id: ++this.#id, documentId, published, values: { createdAt: this.#now() } };
    this.#rows[name].set(row.id, row);
    return row;
  }

  #remove(name: Name, id: number): void {
    const { values } = this.#rows[name].get(id)!;
    const cards = (values.cards ?? []) as { id: number }[];
    const isCards = ({ owner, source }: Link) => owner === card && cards.some((one) => one.id === source);
    const isRows = ({ owner, source, target, to }: Link) =>
      (owner === uids[name] && source === id) || (target === uids[name] && to === id);
    this.#links = this.#links.filter((link) => !isRows(link) && !isCards(link));
    this.#rows[name].delete(id);
  }

  /** Gives a row other values and links. */
  #edit(name: Name, row: Row): void {
    const random = this.#random;
    const { createdAt } = row.values;
    const hasCards = name === 'article' || name === 'user';
    const publishedAt = row.published ? this.#now() : null;
    const removed = ((row.values.cards ?? []) as { id: number }[]).map(({ id }) => id);
    this.#links = this.#links.filter(({ owner, source }) => owner !== card || !removed.includes(source));
    const cards = random.many(0, hasCards ? 2 : 0, () => ({
      id: ++this.#id,
      text: `${random.integer(0, 9)}`,
    }));
    const title = `${name} ${random.integer(0, 3)}`;
    row.values = { title, createdAt, updatedAt: this.#now(), publishedAt, ...(hasCards && { cards }) };
    const status = drafted.includes(name) ? row.published : null;
    for (const { id } of cards) {
      if (status !== null) this.#link(card, id, 'author', 'author', status, 1);
      this.#link(card, id, 'picks', 'article', status, 3);
    }
    for (const [attribute, target] of Object.entries(relations[name] as Record<string, Name>)) {
      if (random.chance(40)) continue;
      this.#link(
        uids[name],
        row.id,
        attribute,
        target,
        status,
        attribute === 'author' || attribute === 'editor' ? 1 : 3,
      );
    }
    if (random.chance(50) && (name === 'author' || name === 'tag' || name === 'user')) this.#editInverse(name, row);
  }

  /**
   * Links a row to some documents in place of earlier ones: to their versions of a status, or to all. A link that was there
   * before keeps its place on the other side.
   */
  #link(owner: string, source: number, attribute: string, target: Name, status: boolean | null, most: number): void {
    const isOfAttribute = (link: Link) =>
      link.owner === owner && link.source === source && link.attribute === attribute;
    const earlier = new Map(this.#links.filter(isOfAttribute).map((link) => [link.to, link.inversePlace]));
    this.#links = this.#links.filter((link) => !isOfAttribute(link));
    for (const documentId of this.#random.some(this.documents(target), 0, most)) {
      for (const { id: to, published: isPublished } of this.#versions(target, documentId)) {
        if (status !== null && drafted.includes(target) && isPublished !== status) continue;
        const inversePlace = earlier.get(to) ?? ++this.#place;
        this.#links.push({ owner, source, attribute, target: uids[target], to, place: ++this.#place, inversePlace });
      }
    }
  }

  /** Chooses and orders the articles of an author, tag or user, whose own rows stay as they are. */
  #editInverse(name: 'author' | 'tag' | 'user', row: Row): void {
    const attribute = { author: 'author', tag: 'tags', user: 'editor' }[name];
    const isOfArticle = (link: Link, some: ReadonlySet<number>) =>
      link.owner === uids.article && link.attribute === attribute && some.has(link.source);
    const isOfRow = (link: Link) => link.owner === uids.article && link.attribute === attribute && link.to === row.id;
    const chosen = this.#random.some([...this.#rows.article.values()], 0, 4);
    const articles = name !== 'author' ? chosen : chosen.filter(({ published }) => published === row.published);
    const ids = new Set(articles.map(({ id }) => id));
    const earlier = new Map(this.#links.filter(isOfRow).map((link) => [link.source, link.place]));
    this.#links = this.#links.filter((link) => !isOfRow(link) && !(name !== 'tag' && isOfArticle(link, ids)));
    for (const source of ids) {
      const places = { place: earlier.get(source) ?? ++this.#place, inversePlace: ++this.#place };
      this.#links.push({ owner: uids.article, source, attribute, target: uids[name], to: row.id, ...places });
    }
  }

  /** Links a published row to what its draft links to, in the published versions. */
  #copyLinks(owner: string, draft: number, source: number): void {
    for (const link of this.#ownLinks(owner, draft)) {
      const name = names.find((one) => uids[one] === link.target)!;
      const target = this.#rows[name].get(link.to)!;
      const to = drafted.includes(name) ? this.#version(name, target.documentId, true)?.id : target.id;
      if (to !== undefined) this.#links.push({ ...link, source, to, inversePlace: ++this.#place });
    }
  }

  #copyCards({ values }: Row): { id: number }[] {
    return ((values.cards ?? []) as { id: number }[]).map((one) => {
      const id = ++this.#id;
      this.#copyLinks(card, one.id, id);
      return { ...one, id };
    });
  }
}
