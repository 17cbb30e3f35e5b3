/** Edits of the versions that a document has in its locales. */
import { EditRefused } from './clients.ts';
import { type EditedType, editedTypes } from './documents.ts';
import {
  type Edit,
  type EditContext,
  fullStatus,
  localesOf,
  type MadeEdit,
  randomScalars,
  show,
  update,
} from './edit.ts';

/** How many documents are looked at to find one that fits. */
const attempts = 20;

interface Choice {
  readonly type: EditedType;
  readonly documentId: string;
  readonly present: readonly string[];
  readonly absent: readonly string[];
}

/** Returns a random document whose locales fit. Throws an EditRefused if none is found. */
async function findDocument(context: EditContext, fits: (choice: Choice) => boolean): Promise<Choice> {
  const { random, documents } = context;
  const localized = editedTypes.filter(({ isLocalized }) => isLocalized);
  for (let i = 0; i < attempts; i++) {
    const type = random.pick(localized);
    const documentId = documents.pick(random, type);
    const choice = { type, documentId, ...(await localesOf(context, type, documentId)) };
    if (fits(choice)) return choice;
  }
  throw new EditRefused(`none of ${attempts} documents has the locales of the edit`);
}

/** Asks for the version itself, or for another one, which lists it among its localizations. */
function showVersion({ random }: EditContext, { type, documentId, present }: Choice, changed: string): MadeEdit {
  const others = present.filter((locale) => locale !== changed);
  const locale = random.chance(50) ? changed : random.pick(others);
  return show({ type, documentId, locale, status: fullStatus(type) });
}

/** Adds a document in a locale that it lacks, as a draft or published. */
export const addLocale: Edit = async (context) => {
  const { random } = context;
  const choice = await findDocument(context, ({ present, absent }) => present.length > 0 && absent.length > 0);
  const { type, documentId } = choice;
  const locale = random.pick(choice.absent);
  const status = type.hasDrafts && random.chance(50) ? 'draft' : 'published';
  await update(context, { type, documentId, locale, status }, randomScalars(random, type, 20, 20));
  return showVersion(context, choice, locale);
};

/** Deletes a document in one of several locales, its draft and what is published. */
export const removeLocale: Edit = async (context) => {
  const { strapi, random } = context;
  const choice = await findDocument(context, ({ present }) => present.length > 1);
  const locale = random.pick(choice.present);
  await strapi.send('DELETE', `/api/${choice.type.plural}/${choice.documentId}?locale=${locale}`);
  return showVersion(context, choice, locale);
};
