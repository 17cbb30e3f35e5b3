import qs from 'qs';
import type { Attribute, Feature, Snapshot } from '../naive/snapshot.ts';
import { contentTypes, isMany, isPolymorphic, isScalar, type Type } from '../naive/types.ts';
import { isOrdered } from '../naive/values.ts';
import type { Random } from '../property/random.ts';
import type { Address } from './addresses.ts';

type Query = Record<string, unknown>;

/** URLs that read each type by the given features. Each list is drawn anew. */
export function featureAddresses(random: Random, snapshot: Snapshot, features: readonly Feature[]): Address[] {
  const types = contentTypes(snapshot);
  return Object.values(types).flatMap((type): Address[] => {
    if (!type.uid.startsWith('api::') || type.kind === 'singleType') return [];
    const queries = features.flatMap((feature) => queriesOf(random, types, type, feature));
    return queries.map((query) => {
      const scope = random.pick([{}, {}, { status: 'draft' }]);
      const text = qs.stringify({ ...scope, ...query }, { encodeValuesOnly: true });
      return { url: `/api/${type.pluralName}?${text}`, caller: random.chance(75) ? 'everything' : 'public' };
    });
  });
}

function queriesOf(random: Random, types: Record<string, Type>, type: Type, feature: Feature): Query[] {
  const lists = namesOf(type, (attribute) => attribute.type === 'relation' && isMany(attribute));
  const relations = namesOf(type, (attribute) => attribute.type === 'relation');
  const text = random.pick(namesOf(type, (attribute) => ['string', 'text', 'uid', 'email'].includes(attribute.type)));
  switch (feature) {
    case 'populateWindow':
      return lists.map((name) => ({
        populate: { [name]: { ...random.pick([{ start: 1 }, {}]), limit: 1, sort: 'id:desc' } },
      }));
    case 'fallbackLocale': {
      const locales = random.pick([{ locale: 'fr', fallbackLocale: 'en,de' }, { fallbackLocale: 'de,fr' }]);
      return [
        { ...locales, populate: '*' },
        { ...locales, sort: `${text}:desc`, pagination: { pageSize: 3 } },
        { ...locales, filters: { [text]: { $contains: random.pick(['a', 'b', 'é']) } } },
        { ...locales, _q: random.pick(['a', 'b', 'é']) },
        { ...locales, facets: [text] },
        ...relations.flatMap((name): Query[] => {
          const { target } = type.attributes[name]!;
          const names = namesOf(types[target!]!, (attribute) => isScalar(attribute) && isOrdered(attribute));
          if (names.length === 0) return [];
          const related = random.pick(names);
          return [
            { ...locales, filters: { [name]: { [related]: { $notNull: true } } } },
            { ...locales, filters: { $not: { [name]: { id: { $gt: 2 } } } } },
            { ...locales, sort: `${name}.${related}` },
          ];
        }),
      ];
    }
    case 'deepPopulate':
      return [
        { populate: random.pick(['deep,2', 'deep,3']) },
        ...relations.map((name) => ({ populate: ['*', name] })),
        ...relations.map((name) => ({ populate: { '*': true, [name]: { fields: ['id'] } } })),
      ];
    case 'languageAware':
      return [
        { language: random.pick(['de', 'sv', 'cs']), sort: text },
        { language: 'de', filters: { [text]: { $containsi: random.pick(['a', 'o', 'e']) } } },
        { language: 'de', _q: random.pick(['a', 'o', 'cote']) },
      ];
    case 'countSort':
      return lists.map((name) => ({ sort: [`${name}.$count:${random.pick(['asc', 'desc'])}`, 'id:desc'] }));
    case 'zoneFilters':
      return namesOf(type, ({ type: kind }) => kind === 'dynamiczone').flatMap((name) => {
        const uid = random.pick(type.attributes[name]!.components!);
        const visit = { [name]: { on: { [uid]: { id: { $gt: random.integer(0, 4) } } } } };
        return [{ filters: visit }, { filters: { $not: visit } }];
      });
    case 'randomSort':
      return [{ sort: '$random:a' }, { sort: '$random:b', pagination: { page: 2, pageSize: 3 } }];
    case 'fileFolders':
      return [];
  }
}

/** The attributes of a kind that may be read; of relations, those to one type, from their owner or its other side. */
function namesOf(type: Type, test: (attribute: Attribute) => boolean): string[] {
  return Object.keys(type.attributes).filter((name) => {
    const attribute = type.attributes[name]!;
    if (attribute.private || isPolymorphic(attribute) || attribute.morphBy) return false;
    return test(attribute);
  });
}
