import { contentTypes } from '../model/content-types.ts';
import { type AttributeDefinition, uidOf } from '../model/definitions.ts';
import type { Random } from '../random.ts';
import type { StrapiClient } from './clients.ts';

export interface EditedType {
  readonly uid: string;
  readonly singular: string;
  readonly plural: string;
  readonly hasDrafts: boolean;
  readonly isLocalized: boolean;
  readonly attributes: Readonly<Record<string, AttributeDefinition>>;
}

interface Schema {
  kind: string;
  info: { singularName: string; pluralName: string };
  options: { draftAndPublish: boolean };
  pluginOptions: { i18n?: { localized: boolean } };
  attributes: Record<string, AttributeDefinition>;
}

/** The collection types of the museum. */
export const editedTypes: readonly EditedType[] = contentTypes.flatMap(({ schema }) => {
  const { kind, info, options, pluginOptions, attributes } = schema as Schema;
  if (kind !== 'collectionType') return [];
  const { singularName: singular, pluralName: plural } = info;
  const { draftAndPublish: hasDrafts } = options;
  const isLocalized = pluginOptions.i18n?.localized === true;
  return [{ uid: uidOf(singular), singular, plural, hasDrafts, isLocalized, attributes }];
});

export function typeNamed(singular: string): EditedType {
  return editedTypes.find((type) => type.singular === singular)!;
}

/** The ids of some documents of each type, as Strapi has them. */
export class KnownDocuments {
  readonly #ids = new Map<string, string[]>();

  /** Reads at most 300 documents of each type: those with the least ids and some others. */
  static async read(strapi: StrapiClient): Promise<KnownDocuments> {
    const known = new KnownDocuments();
    for (const { plural, uid } of editedTypes) {
      const ids = new Set<string>();
      for (const start of [0, 100, 900]) {
        const page = `fields=documentId&status=draft&locale=*&sort=id&pagination[start]=${start}&pagination[limit]=100`;
        const { data } = (await strapi.send('GET', `/api/${plural}?${page}`)) as { data: { documentId: string }[] };
        for (const { documentId } of data) ids.add(documentId);
      }
      known.#ids.set(uid, [...ids]);
    }
    return known;
  }

  pick(random: Random, { uid }: EditedType): string {
    return random.pick(this.#ids.get(uid)!);
  }

  some(random: Random, { uid }: EditedType, low: number, high: number): string[] {
    return random.some(this.#ids.get(uid)!, low, high);
  }

  add({ uid }: EditedType, id: string): void {
    this.#ids.get(uid)!.push(id);
  }

  remove({ uid }: EditedType, id: string): void {
    this.#ids.set(
      uid,
      this.#ids.get(uid)!.filter((other) => other !== id),
    );
  }
}
