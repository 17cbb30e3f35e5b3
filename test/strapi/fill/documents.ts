/** Documents of the museum's own types, through Strapi's document service. */
import type { AttributeDefinition } from '../model/definitions.ts';
import type { Random } from '../random.ts';
import { locales } from './people.ts';
import type { ContentType, Strapi } from './strapi.ts';
import { isScalar, randomValue } from './values.ts';

/** How many documents the collections get; the others get ten. */
const counts: Record<string, number> = { 'api::exhibit.exhibit': 26, 'api::artist.artist': 15, 'api::tag.tag': 14 };

export class DocumentFiller {
  readonly #strapi: Strapi;
  readonly #random: Random;
  /** Ids that relations may lead to, by uid: documentIds, of files the ids. */
  readonly #targets: Map<string, (string | number)[]>;
  /** Each document that there is, with its locales. */
  readonly #documents: { type: ContentType; documentId: string; locales: (string | undefined)[] }[] = [];
  readonly #types: ContentType[];
  #sequence = 0;

  constructor(strapi: Strapi, random: Random, files: number[], users: string[]) {
    this.#strapi = strapi;
    this.#random = random;
    this.#targets = new Map<string, (string | number)[]>([
      ['plugin::upload.file', files],
      ['plugin::users-permissions.user', users],
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
    await this.#removeSome();
  }

  async #create(type: ContentType): Promise<void> {
    const documents = this.#strapi.documents(type.uid);
    const localized = type.pluginOptions?.i18n?.localized === true;
    // most have the default locale, some have only others
    const chosen = localized ? this.#random.some(locales, 1, 3) : [undefined];
    if (type.kind === 'singleType' && localized) chosen.splice(0, 3, 'en', 'fr');
    const [first, ...others] = chosen;
    const { documentId } = await documents.create({ data: this.#scalars(type), locale: first });
    for (const locale of others) await documents.update({ documentId, locale, data: this.#scalars(type) });
    this.#documents.push({ type, documentId, locales: chosen });
    const targets = this.#targets.get(type.uid) ?? [];
    this.#targets.set(type.uid, [...targets, documentId]);
  }

  async #relate({ type, documentId, locales }: { type: ContentType; documentId: string; locales: unknown[] }) {
    for (const locale of locales as (string | undefined)[]) {
      await this.#strapi.documents(type.uid).update({ documentId, locale, data: this.#links(type, 0) });
    }
  }

  /** Publishes most, changes some drafts afterwards, takes some back, publishes some of those again. */
  async #publish({ type, documentId, locales }: { type: ContentType; documentId: string; locales: unknown[] }) {
    if (!type.options?.draftAndPublish) return;
    const random = this.#random;
    const documents = this.#strapi.documents(type.uid);
    for (const locale of random.shuffled(locales as (string | undefined)[])) {
      const place = { documentId, locale };
      if (!random.chance(type.kind === 'singleType' ? 100 : 80)) continue;
      await documents.publish(place);
      if (random.chance(35)) await documents.update({ ...place, data: this.#scalars(type) });
      if (random.chance(25)) await documents.update({ ...place, data: this.#links(type, 0) });
      if (random.chance(20)) await documents.publish(place);
      if (type.kind === 'singleType' || !random.chance(20)) continue;
      await documents.unpublish(place);
      if (random.chance(60)) await documents.publish(place);
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

  /** Relations, media, components and zones. Components nest `depth` deep so far. */
  #links({ attributes }: Pick<ContentType, 'attributes'>, depth: number): Record<string, unknown> {
    const links = ownAttributes(attributes).filter(([, attribute]) => !isScalar(attribute));
    return Object.fromEntries(links.map(([name, attribute]) => [name, this.#link(attribute, depth)]));
  }

  #link(attribute: AttributeDefinition, depth: number): unknown {
    const random = this.#random;
    switch (attribute.type) {
      case 'media':
        return this.#some('plugin::upload.file', attribute.multiple === true, random);
      case 'component': {
        const draw = () => this.#component(attribute.component as string, depth + 1);
        if (attribute.repeatable) return random.many(0, 3, draw);
        return random.chance(75) ? draw() : null;
      }
      case 'dynamiczone':
        return random.many(0, 4, () => {
          const uid = random.pick(attribute.components as string[]);
          return { __component: uid, ...this.#component(uid, depth + 1) };
        });
      default:
        return this.#relation(attribute);
    }
  }

  #component(uid: string, depth: number): Record<string, unknown> {
    const { attributes } = this.#strapi.components[uid];
    return { ...this.#scalars({ uid, attributes }), ...this.#links({ attributes }, depth) };
  }

  #relation({ relation, target }: AttributeDefinition): unknown {
    const kind = relation as string;
    // the side that a polymorphic relation leads to is set from the other side only
    if (kind === 'morphOne' || kind === 'morphMany') return undefined;
    const many = kind.endsWith('Many');
    if (!kind.startsWith('morphTo')) return this.#some(target as string, many, this.#random);
    const uids = ['api::artist.artist', 'api::room.room', 'api::tag.tag', 'api::lender.lender', 'api::exhibit.exhibit'];
    const draw = () => {
      const uid = this.#random.pick(uids);
      return { documentId: this.#random.pick(this.#targets.get(uid)!), __type: uid };
    };
    return many ? { set: this.#random.many(0, 4, draw) } : this.#random.chance(70) ? draw() : null;
  }

  #some(uid: string, many: boolean, random: Random): unknown {
    const targets = this.#targets.get(uid) ?? [];
    if (many) return random.some(targets, 0, random.chance(20) ? 9 : 3);
    return random.chance(70) ? random.pick(targets) : null;
  }
}

const systemNames = new Set(['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations']);

function ownAttributes(attributes: ContentType['attributes']): [string, AttributeDefinition][] {
  return Object.entries(attributes).filter(([name]) => !systemNames.has(name) && name !== 'id' && name !== 'documentId');
}
