/** Documents of the museum's own types, through Strapi's document service. */
import type { AttributeDefinition } from '../model/definitions.ts';
import type { Random } from '../random.ts';
import type { ContentType, Strapi } from './strapi.ts';
import { isScalar, randomValue } from './values.ts';

const locales = ['en', 'fr', 'de'];

/** How many documents the collections get; the others get ten. */
const counts: Record<string, number> = { 'api::exhibit.exhibit': 26, 'api::artist.artist': 15, 'api::tag.tag': 14 };

/** A document, or a file, which is named by its id. Without locales it is the same in each. */
interface Target {
  id: string | number;
  locales: Locale[];
}

interface Document {
  type: ContentType;
  documentId: string;
  locales: Locale[];
}

/** Undefined for types that are not localized. */
type Locale = string | undefined;

export class DocumentFiller {
  readonly #strapi: Strapi;
  readonly #random: Random;
  /** What relations may lead to, by uid. */
  readonly #targets: Map<string, Target[]>;
  readonly #documents: Document[] = [];
  readonly #types: ContentType[];
  /** The types of rows that polymorphic relations lead to. */
  readonly #polymorphicTargets: readonly string[];
  #sequence = 0;

  constructor(
    strapi: Strapi,
    random: Random,
    files: number[],
    users: string[],
    polymorphicTargets: readonly string[] = ofTheMuseum,
  ) {
    this.#strapi = strapi;
    this.#random = random;
    this.#polymorphicTargets = polymorphicTargets;
    const everywhere = (id: string | number): Target => ({ id, locales: [undefined] });
    this.#targets = new Map([
      ['plugin::upload.file', files.map(everywhere)],
      ['plugin::users-permissions.user', users.map(everywhere)],
    ]);
    this.#types = Object.values(strapi.contentTypes).filter(({ uid }) => uid.startsWith('api::'));
  }

  async fill(): Promise<void> {
    for (const type of this.#types) {
      const count = type.kind === 'singleType' ? 1 : (counts[type.uid] ?? 10);
      for (let i = 0; i < count; i++) await this.#create(type);
    }
    // relations come later and in another order, so that rows do not lie in the order of their ids
    for (const document of this.#random.shuffled(this.#documents)) await this.#relate(document);
    for (const document of this.#random.shuffled(this.#documents)) await this.#publish(document);
    // again for those that lead to single rows: now there are published ones among them
    for (const document of this.#documents.filter(({ type }) => isPolymorphic(type))) {
      await this.#relate(document);
      await this.#publish(document);
    }
    for (const type of this.#types) await this.#relateFromOtherSide(type);
    await this.#removeSome();
  }

  async #create(type: ContentType): Promise<void> {
    const documents = this.#strapi.documents(type.uid);
    const localized = type.pluginOptions?.i18n?.localized === true;
    // most have the default locale, some have only others
    const chosen: Locale[] = localized ? this.#random.some(locales, 1, 3) : [undefined];
    if (type.kind === 'singleType' && localized) chosen.splice(0, 3, 'en', 'fr');
    const [first, ...others] = chosen;
    const { documentId } = await documents.create({ data: this.#scalars(type), locale: first });
    for (const locale of others) await documents.update({ documentId, locale, data: this.#scalars(type) });
    this.#documents.push({ type, documentId, locales: chosen });
    const targets = this.#targets.get(type.uid) ?? [];
    this.#targets.set(type.uid, [...targets, { id: documentId, locales: chosen }]);
  }

  async #relate({ type, documentId, locales }: Document): Promise<void> {
    for (const locale of locales) {
      await this.#strapi.documents(type.uid).update({ documentId, locale, data: await this.#links(type, locale) });
    }
  }

  /** Publishes most, changes some drafts afterwards, takes some back, publishes some of those again. */
  async #publish({ type, documentId, locales }: Document): Promise<void> {
    if (!type.options?.draftAndPublish) return;
    const random = this.#random;
    const documents = this.#strapi.documents(type.uid);
    for (const locale of random.shuffled(locales)) {
      const place = { documentId, locale };
      if (!random.chance(type.kind === 'singleType' ? 100 : 80)) continue;
      await documents.publish(place);
      if (random.chance(35)) await documents.update({ ...place, data: this.#scalars(type) });
      if (random.chance(25)) await documents.update({ ...place, data: await this.#links(type, locale) });
      if (random.chance(20)) await documents.publish(place);
      if (type.kind === 'singleType' || !random.chance(20)) continue;
      await documents.unpublish(place);
      if (random.chance(60)) await documents.publish(place);
    }
  }

  /**
   * Sets polymorphic relations from the side that they lead to, which stores its own name with them. The document
   * service cannot.
   */
  async #relateFromOtherSide({ uid, attributes }: ContentType): Promise<void> {
    const random = this.#random;
    for (const [name, { relation, target }] of Object.entries(attributes)) {
      if (relation !== 'morphOne' && relation !== 'morphMany') continue;
      const rows = await this.#strapi.db.query(uid).findMany({ orderBy: { id: 'asc' } });
      for (const { id } of random.some(rows, 2, 4)) {
        const ids = await inTurn(
          random.many(1, relation === 'morphOne' ? 1 : 3, () => () => this.#anyId(target as string)),
        );
        await this.#strapi.db.query(uid).update({ where: { id }, data: { [name]: ids } });
      }
    }
  }

  /** Leaves gaps among the ids, and entries whose relations have lost an end. */
  async #removeSome(): Promise<void> {
    const removable = this.#documents.filter(({ type }) => type.kind === 'collectionType');
    for (const { type, documentId } of this.#random.some(removable, 6, 6)) {
      await this.#strapi.documents(type.uid).delete({ documentId, locale: '*' });
    }
  }

  #scalars({ uid, attributes }: Pick<ContentType, 'uid' | 'attributes'>): Record<string, unknown> {
    const unique = `${uid.split('.').at(-1)}-${++this.#sequence}`;
    const values = ownAttributes(attributes)
      .filter(([, attribute]) => isScalar(attribute))
      .map(([name, attribute]) => [name, randomValue(this.#random, attribute, unique)]);
    return Object.fromEntries(values);
  }

  /** Relations, media, components and zones, of a row in the given locale. */
  async #links({ attributes }: Pick<ContentType, 'attributes'>, locale: Locale): Promise<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const [name, attribute] of ownAttributes(attributes)) {
      if (!isScalar(attribute)) values[name] = await this.#link(attribute, locale);
    }
    return values;
  }

  async #link(attribute: AttributeDefinition, locale: Locale): Promise<unknown> {
    const random = this.#random;
    switch (attribute.type) {
      case 'media':
        return this.#someOf('plugin::upload.file', attribute.multiple === true, locale);
      case 'component': {
        const draw = () => this.#component(attribute.component as string, locale);
        if (attribute.repeatable) return inTurn(random.many(0, 3, () => draw));
        return random.chance(75) ? draw() : null;
      }
      case 'dynamiczone': {
        const uids = random.many(0, 4, () => random.pick(attribute.components as string[]));
        const draws = uids.map((uid) => async () => ({ __component: uid, ...(await this.#component(uid, locale)) }));
        return inTurn(draws);
      }
      default:
        return this.#relation(attribute, locale);
    }
  }

  async #component(uid: string, locale: Locale): Promise<Record<string, unknown>> {
    const { attributes } = this.#strapi.components[uid];
    return { ...this.#scalars({ uid, attributes }), ...(await this.#links({ attributes }, locale)) };
  }

  async #relation({ relation, target }: AttributeDefinition, locale: Locale): Promise<unknown> {
    const kind = relation as string;
    const many = kind.endsWith('Many');
    if (kind === 'morphOne' || kind === 'morphMany') return undefined;
    if (!kind.startsWith('morphTo')) return this.#someOf(target as string, many, locale);
    if (!many) return this.#random.chance(75) ? this.#anyRow() : null;
    return { set: await inTurn(this.#random.many(0, 4, () => () => this.#anyRow())) };
  }

  /** What a polymorphic relation leads to: one row, draft or published, in whatever locale. */
  async #anyRow(): Promise<object> {
    const uid = this.#random.pick(this.#polymorphicTargets);
    return { id: await this.#anyId(uid), __type: uid };
  }

  async #anyId(uid: string): Promise<number> {
    const rows = await this.#strapi.db.query(uid).findMany({ orderBy: { id: 'asc' } });
    return this.#random.pick(rows).id;
  }

  /** A relation's value: of those rows that stand in the same locale. A row without locale leads to any. */
  #someOf(uid: string, many: boolean, locale: Locale): unknown {
    const random = this.#random;
    const reachable = (this.#targets.get(uid) ?? []).filter(
      ({ locales }) => locale === undefined || locales[0] === undefined || locales.includes(locale),
    );
    const name = ({ id, locales }: Target) => {
      if (typeof id === 'number') return id;
      return { documentId: id, locale: locales[0] && (locale ?? random.pick(locales)) };
    };
    if (many) return random.some(reachable, 0, random.chance(20) ? 9 : 3).map(name);
    return reachable.length > 0 && random.chance(75) ? name(random.pick(reachable)) : null;
  }
}

const ofTheMuseum = ['artist', 'room', 'tag', 'lender', 'exhibit'].map((name) => `api::${name}.${name}`);

function isPolymorphic({ attributes }: ContentType): boolean {
  return Object.values(attributes).some(({ relation }) => String(relation).startsWith('morphTo'));
}

/** One after the other, so that the draws are the same in each run. */
async function inTurn<T>(draws: (() => Promise<T>)[]): Promise<T[]> {
  const drawn: T[] = [];
  for (const draw of draws) drawn.push(await draw());
  return drawn;
}

const systemNames = new Set([
  'createdAt',
  'updatedAt',
  'publishedAt',
  'createdBy',
  'updatedBy',
  'locale',
  'localizations',
]);

function ownAttributes(attributes: ContentType['attributes']): [string, AttributeDefinition][] {
  return Object.entries(attributes).filter(
    ([name]) => !systemNames.has(name) && name !== 'id' && name !== 'documentId',
  );
}
