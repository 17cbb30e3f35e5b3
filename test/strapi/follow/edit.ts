/** What all edits of the museum have in common: where they take place, and how they are shown. */
import { isScalar, randomValue } from '../fill/values.ts';
import type { Request } from '../queries/query-context.ts';
import type { Random } from '../random.ts';
import type { StrapiClient } from './clients.ts';
import type { EditedType, KnownDocuments } from './documents.ts';

export interface EditContext {
  readonly strapi: StrapiClient;
  readonly random: Random;
  readonly documents: KnownDocuments;
  /** Whether Lectern has the uploaded files, not only their entries. */
  readonly hasFiles: boolean;
}

/** An edit that was made: a question whose answer shows it, and when Strapi answered. */
export interface MadeEdit {
  readonly request: Request;
  readonly answered: number;
}

/** Makes an edit. Throws an EditRefused if Strapi refuses it. */
export type Edit = (context: EditContext) => Promise<MadeEdit>;

export interface Place {
  readonly type: EditedType;
  readonly documentId: string;
  readonly locale: string | undefined;
  readonly status: 'draft' | 'published';
}

/** To be called when Strapi has answered. */
export const question = (path: string, caller = 'full'): MadeEdit => ({
  request: { kind: 'probe', caller, path },
  answered: performance.now(),
});

export function parametersOf({ locale, status }: Pick<Place, 'locale' | 'status'>): string {
  return `status=${status}${locale === undefined ? '' : `&locale=${locale}`}`;
}

export const pathOf = (place: Place): string => `/api/${place.type.plural}/${place.documentId}?${parametersOf(place)}`;
/** Asks for the version of a document. */
export const show = (place: Place): MadeEdit => question(`${pathOf(place)}&populate=*`);

const locales = ['en', 'fr', 'de'];

export const localeFor = (random: Random, { isLocalized }: EditedType) =>
  isLocalized ? random.pick(['en', ...locales]) : undefined;

/** The status of which every document has a version. */
export const fullStatus = ({ hasDrafts }: EditedType) => (hasDrafts ? 'draft' : 'published');

/** The locales that a document has, and those that it lacks. */
export async function localesOf(
  { strapi }: EditContext,
  type: EditedType,
  documentId: string,
): Promise<{ readonly present: string[]; readonly absent: string[] }> {
  const filter = `filters[documentId]=${documentId}&locale=*&status=${fullStatus(type)}&fields=locale`;
  const { data } = (await strapi.send('GET', `/api/${type.plural}?${filter}`)) as { data: { locale: string }[] };
  const present = data.map(({ locale }) => locale);
  return { present, absent: locales.filter((locale) => !present.includes(locale)) };
}

export function randomPlace({ random, documents }: EditContext, type: EditedType): Place {
  const status = type.hasDrafts && random.chance(50) ? 'draft' : 'published';
  return { type, documentId: documents.pick(random, type), locale: localeFor(random, type), status };
}

let sequence = 0;

/** A text that no other edit writes. */
export const uniqueText = (): string => `${process.pid}-${++sequence}`;

export function randomScalars(random: Random, { attributes }: EditedType, low: number, high: number): object {
  const scalars = Object.entries(attributes).filter(
    ([, attribute]) => isScalar(attribute) && attribute.type !== 'password',
  );
  const chosen = random.some(scalars, low, high);
  return Object.fromEntries(
    chosen.map(([name, attribute]) => [name, randomValue(random, attribute, `edit-${uniqueText()}`)]),
  );
}

export async function update({ strapi }: EditContext, place: Place, data: object): Promise<MadeEdit> {
  await strapi.send('PUT', pathOf(place), { data });
  return show(place);
}
