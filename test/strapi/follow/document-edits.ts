/** Edits of documents: values, drafts, relations, components and media. */
import { randomText } from '../fill/values.ts';
import { editedTypes, typeNamed } from './documents.ts';
import {
  type Edit,
  fullStatus,
  localeFor,
  localesOf,
  parametersOf,
  pathOf,
  randomPlace,
  randomScalars,
  show,
  update,
} from './edit.ts';

/** Changes some values. In another locale, the first edit adds the entry. */
export const editValues: Edit = (context) => {
  const type = context.random.pick(editedTypes);
  return update(context, randomPlace(context, type), randomScalars(context.random, type, 1, 3));
};

export const create: Edit = async ({ strapi, random, documents }) => {
  const type = random.pick(editedTypes);
  const parameters = {
    locale: localeFor(random, type),
    status: type.hasDrafts && random.chance(50) ? 'draft' : 'published',
  } as const;
  const body = { data: randomScalars(random, type, 20, 20) };
  const reply = await strapi.send('POST', `/api/${type.plural}?${parametersOf(parameters)}`, body);
  const { documentId } = (reply as { data: { documentId: string } }).data;
  documents.add(type, documentId);
  return show({ type, documentId, ...parameters });
};

/** Deletes a document with all its versions. */
export const remove: Edit = async (context) => {
  const { strapi, random, documents } = context;
  const type = random.pick(editedTypes);
  const documentId = documents.pick(random, type);
  const locale = type.isLocalized ? random.pick((await localesOf(context, type, documentId)).present) : undefined;
  await strapi.send('DELETE', `/api/${type.plural}/${documentId}${type.isLocalized ? '?locale=*' : ''}`);
  documents.remove(type, documentId);
  return show({ type, documentId, locale, status: fullStatus(type) });
};

/** Publishes, takes back, or throws away a draft, as the editor's buttons do. */
export const changeStatus: Edit = async (context) => {
  const { strapi, random } = context;
  const type = random.pick(editedTypes.filter(({ hasDrafts }) => hasDrafts));
  const { documentId, locale } = randomPlace(context, type);
  const action = random.pick(['publish', 'publish', 'publish', 'unpublish', 'discardDraft']);
  await strapi.act(type.uid, action, { documentId, locale });
  return show({ type, documentId, locale, status: action === 'discardDraft' ? 'draft' : 'published' });
};

/** Lists of relations, from both of their sides. */
const lists = [
  ['exhibit', 'makers', 'artist'],
  ['exhibit', 'tags', 'tag'],
  ['exhibit', 'similar', 'exhibit'],
  ['artist', 'works', 'exhibit'],
  ['room', 'exhibits', 'exhibit'],
  ['room', 'neighbours', 'room'],
  ['tag', 'narrower', 'tag'],
] as const;

export const moveRelations: Edit = async (context) => {
  const { strapi, random, documents } = context;
  const [owner, name, target] = random.pick(lists);
  const place = randomPlace(context, typeNamed(owner));
  const others = typeNamed(target);
  const populate = `populate[${name}][fields]=documentId`;
  const reply = await strapi.send('GET', `${pathOf(place)}&${populate}`);
  const list = (reply as { data: Record<string, { documentId: string }[]> }).data[name] ?? [];
  const current = list.map(({ documentId }) => documentId);
  const [added] = documents.some(random, others, 1, 1);
  const moved = current.length > 1 ? random.pick(current.slice(1)) : added;
  const change = random.pick([
    { set: random.shuffled([...current, ...documents.some(random, others, 0, 3)]) },
    { connect: [{ documentId: added, position: { start: true } }] },
    { connect: [{ documentId: added }] },
    current.length > 1
      ? {
          connect: [
            { documentId: moved, position: { before: current[0], locale: place.locale, status: place.status } },
          ],
        }
      : { connect: [{ documentId: added, position: { end: true } }] },
    { disconnect: random.some(current, 1, 2).map((documentId) => ({ documentId })) },
  ]);
  return update(context, place, { [name]: change });
};

export const editComponents: Edit = async (context) => {
  const { strapi, random } = context;
  const [owner, name, field] = random.pick([
    ['exhibit', 'sheets', 'title'],
    ['exhibit', 'label', 'heading'],
    ['exhibit', 'sections', 'text'],
    ['artist', 'honours', 'title'],
    ['room', 'blocks', 'text'],
  ] as const);
  const place = randomPlace(context, typeNamed(owner));
  // edits go to the draft, so its components are those that can be kept
  const draft = pathOf({ ...place, status: place.type.hasDrafts ? 'draft' : place.status });
  const reply = await strapi.send('GET', `${draft}&populate[${name}][populate]=*`);
  const value = (reply as { data: Record<string, unknown> }).data[name] ?? [];
  const items = [value].flat() as { id: number; __component?: string }[];
  const fresh = () => ({ [field]: randomText(random) });
  if (name === 'label') return update(context, place, { [name]: items[0] ? { id: items[0].id, ...fresh() } : fresh() });
  const isZone = name === 'sections' || name === 'blocks';
  const kept = random.some(items, 0, items.length).map(({ id, __component }) => ({
    id,
    ...(__component && { __component }),
    ...(!isZone || (__component !== 'zone.picture' && __component !== 'zone.list') ? fresh() : {}),
  }));
  const added = random.many(0, 2, () => ({ ...(isZone && { __component: 'zone.quote' }), ...fresh() }));
  return update(context, place, { [name]: random.shuffled([...kept, ...added]) });
};

export const changeMedia: Edit = async (context) => {
  const { strapi, random } = context;
  const files = (await strapi.send('GET', '/api/upload/files')) as { id: number }[];
  const type = typeNamed('exhibit');
  const [photo, ...gallery] = random.some(files, 2, 4).map(({ id }) => id);
  return update(context, randomPlace(context, type), random.chance(50) ? { photo } : { gallery });
};
