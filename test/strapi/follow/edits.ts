/** Random edits of the museum through Strapi's own API. */
import { isScalar, randomText, randomValue } from '../fill/values.ts';
import type { Request } from '../queries/query-context.ts';
import type { Random } from '../random.ts';
import type { StrapiClient } from './clients.ts';
import { type EditedType, editedTypes, type KnownDocuments, typeNamed } from './documents.ts';

export interface EditContext {
  readonly strapi: StrapiClient;
  readonly random: Random;
  readonly documents: KnownDocuments;
}

/** An edit that was made: a question whose answer shows it, and when Strapi answered. */
export interface MadeEdit {
  readonly request: Request;
  readonly answered: number;
}

/** Makes an edit. Throws an EditRefused if Strapi refuses it. */
export type Edit = (context: EditContext) => Promise<MadeEdit>;

interface Place {
  readonly type: EditedType;
  readonly documentId: string;
  readonly locale: string | undefined;
  readonly status: 'draft' | 'published';
}

/** To be called when Strapi has answered. */
const question = (path: string, caller = 'full'): MadeEdit => ({
  request: { kind: 'probe', caller, path },
  answered: performance.now(),
});

function parametersOf({ locale, status }: Pick<Place, 'locale' | 'status'>): string {
  return `status=${status}${locale === undefined ? '' : `&locale=${locale}`}`;
}

const pathOf = (place: Place): string => `/api/${place.type.plural}/${place.documentId}?${parametersOf(place)}`;
const show = (place: Place): MadeEdit => question(`${pathOf(place)}&populate=*`);

const localeFor = (random: Random, { isLocalized }: EditedType) =>
  isLocalized ? random.pick(['en', 'en', 'fr', 'de']) : undefined;

function randomPlace({ random, documents }: EditContext, type: EditedType): Place {
  const status = type.hasDrafts && random.chance(50) ? 'draft' : 'published';
  return { type, documentId: documents.pick(random, type), locale: localeFor(random, type), status };
}

let sequence = 0;

function randomScalars(random: Random, { attributes }: EditedType, low: number, high: number): object {
  const scalars = Object.entries(attributes).filter(
    ([, attribute]) => isScalar(attribute) && attribute.type !== 'password',
  );
  const chosen = random.some(scalars, low, high);
  return Object.fromEntries(
    chosen.map(([name, attribute]) => [name, randomValue(random, attribute, `edit-${process.pid}-${++sequence}`)]),
  );
}

async function update({ strapi }: EditContext, place: Place, data: object): Promise<MadeEdit> {
  await strapi.send('PUT', pathOf(place), { data });
  return show(place);
}

/** Changes some values. In another locale, the first edit adds the entry. */
const editValues: Edit = (context) => {
  const type = context.random.pick(editedTypes);
  return update(context, randomPlace(context, type), randomScalars(context.random, type, 1, 3));
};

const create: Edit = async ({ strapi, random, documents }) => {
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

const remove: Edit = async ({ strapi, random, documents }) => {
  const type = random.pick(editedTypes);
  const documentId = documents.pick(random, type);
  const isWhole = !type.isLocalized || random.chance(50);
  const locale = type.isLocalized ? (isWhole ? '*' : 'en') : undefined;
  await strapi.send('DELETE', `/api/${type.plural}/${documentId}${locale ? `?locale=${locale}` : ''}`);
  if (isWhole) documents.remove(type, documentId);
  return show({ type, documentId, locale: type.isLocalized ? 'en' : undefined, status: 'published' });
};

/** Publishes, takes back, or throws away a draft, as the editor's buttons do. */
const changeStatus: Edit = async (context) => {
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

const moveRelations: Edit = async (context) => {
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

const editComponents: Edit = async (context) => {
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

const upload: Edit = async ({ strapi, random }) => {
  const form = new FormData();
  form.append('files', new Blob([randomText(random)], { type: 'text/plain' }), `note-${++sequence}.txt`);
  const [{ id, url }] = (await strapi.send('POST', '/api/upload', form)) as { id: number; url: string }[];
  return question(random.chance(50) ? `/api/upload/files/${id}` : url, 'full');
};

const changeMedia: Edit = async (context) => {
  const { strapi, random } = context;
  const files = (await strapi.send('GET', '/api/upload/files')) as { id: number }[];
  const type = typeNamed('exhibit');
  const [photo, ...gallery] = random.some(files, 2, 4).map(({ id }) => id);
  return update(context, randomPlace(context, type), random.chance(50) ? { photo } : { gallery });
};

const changeUsers: Edit = async ({ strapi, random }) => {
  const users = (await strapi.send('GET', '/api/users')) as { id: number; username: string }[];
  // those who ask the questions stay
  const others = users.filter(({ id }) => id > 2);
  const username = `user ${process.pid} ${++sequence}`;
  const kind = others.length < 3 ? 0 : random.integer(0, 2);
  if (kind === 0) {
    const email = `${sequence}.${process.pid}@example.com`;
    const user = { username, email, password: 'Museum-1234', role: 1, confirmed: true };
    const { id } = (await strapi.send('POST', '/api/users', user)) as { id: number };
    return question(`/api/users/${id}?populate=role`);
  }
  const { id } = random.pick(others);
  if (kind === 1) await strapi.send('PUT', `/api/users/${id}`, { username, blocked: random.chance(30) });
  else await strapi.send('DELETE', `/api/users/${id}`);
  return question(`/api/users/${id}?populate=role`);
};

/** Gives the role of guests the permission to read a type, or takes it back. */
const changeRole: Edit = async ({ strapi, random }) => {
  const { uid, plural } = random.pick(editedTypes.filter(({ singular }) => singular !== 'exhibit'));
  const action = `${uid}.find`;
  const permission = 'plugin::users-permissions.permission';
  const role = (await strapi.act('plugin::users-permissions.role', 'findOne', { where: { type: 'guest' } }, true)) as {
    id: number;
  };
  const known = (await strapi.act(permission, 'findOne', { where: { action, role: role.id } }, true)) as {
    id?: number;
  };
  if (known.id) await strapi.act(permission, 'delete', { where: { id: known.id } }, true);
  else await strapi.act(permission, 'create', { data: { action, role: role.id } }, true);
  return question(`/api/${plural}?pagination[pageSize]=1&sort=id`, 'guest');
};

/** Edits by their name, each with its share. */
export const edits: Readonly<Record<string, { readonly edit: Edit; readonly share: number }>> = {
  'change values': { edit: editValues, share: 25 },
  create: { edit: create, share: 10 },
  delete: { edit: remove, share: 5 },
  'publish or unpublish': { edit: changeStatus, share: 20 },
  'move relations': { edit: moveRelations, share: 15 },
  'change components': { edit: editComponents, share: 10 },
  upload: { edit: upload, share: 4 },
  'change media': { edit: changeMedia, share: 4 },
  'change users': { edit: changeUsers, share: 4 },
  'change a role': { edit: changeRole, share: 3 },
};

/** Draws the name of an edit by the shares. */
export function drawEdit(random: Random): string {
  let left = random.integer(1, 100);
  for (const [name, { share }] of Object.entries(edits)) if ((left -= share) <= 0) return name;
  return 'change values';
}
