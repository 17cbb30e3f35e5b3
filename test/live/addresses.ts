import qs from 'qs';
import { publicationFilters } from '../../src/query/bound.ts';
import type { Attribute } from '../naive/snapshot.ts';
import {
  attributeOf,
  componentTypes,
  contentTypes,
  isMany,
  isPolymorphic,
  isScalar,
  type Type,
} from '../naive/types.ts';
import { isOrdered, isText } from '../naive/values.ts';
import { addressOf } from '../property/engine.ts';
import { operandValue } from '../property/pools.ts';
import { randomRequest } from '../property/queries.ts';
import type { QueryContext } from '../property/query-context.ts';
import type { Random } from '../property/random.ts';
import type { Model } from './model.ts';

/** A URL and its caller: `everything` has a token for all content, a number is the id of a user with a JWT. */
export interface Address {
  url: string;
  caller: 'everything' | 'public' | number;
}

type Query = Record<string, unknown>;

const textOperators = ['$eqi', '$nei', '$contains', '$notContains', '$containsi', '$startsWith', '$endsWithi'];
const orderOperators = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'];

/** URLs that read each type in many ways, with values of the model. Each list is drawn anew. */
export function addressesOf(random: Random, model: Model): Address[] {
  const types = Object.values(contentTypes(model.snapshot)).filter(({ uid }) => uid.startsWith('api::'));
  const urls = types.flatMap((type) => new TypeAddresses(random, model, type).all());
  return [...urls, ...pluginUrls()].map((url): Address => {
    const caller = random.chance(75) ? 'everything' : random.pick(['public' as const, 'public' as const, 1, 2]);
    return { url, caller };
  });
}

/** Random queries about the content that the model began with. */
export function randomAddresses(context: QueryContext, count: number): Address[] {
  const { roles = [] } = { roles: context.world.roles };
  return Array.from({ length: count }, () => randomRequest(context, roles)).flatMap((request): Address[] => {
    const url = addressOf(request);
    return url === null ? [] : [{ url, caller: request.role === 'public' ? 'public' : 'everything' }];
  });
}

function pluginUrls(): string[] {
  const queries = [
    '',
    '?populate=role',
    '?sort=username:desc',
    '?filters[role][type]=editor',
    '?filters[blocked]=true',
  ];
  return [
    ...queries.map((query) => `/api/users${query}`),
    ...['1', '2?populate=role', 'me', 'me?populate=role', 'count'].map((path) => `/api/users/${path}`),
    '/api/users/count?filters[role][name][$null]=true',
    ...['upload/files', 'upload/files/1', 'upload/files?sort=name:desc&populate=*'].map((path) => `/api/${path}`),
    ...['i18n/locales', 'users-permissions/roles', 'users-permissions/roles/1'].map((path) => `/api/${path}`),
  ];
}

class TypeAddresses {
  readonly #random: Random;
  readonly #model: Model;
  readonly #type: Type;

  constructor(random: Random, model: Model, type: Type) {
    this.#random = random;
    this.#model = model;
    this.#type = type;
  }

  all(): string[] {
    const random = this.#random;
    const isSingle = this.#type.kind === 'singleType';
    const queries = isSingle ? this.#selections() : [...this.#selections(), ...this.#filters(), ...this.#sorts()];
    const path = `/api/${isSingle ? this.#type.singularName : this.#type.pluralName}`;
    const scopes: Query[] = [{}, {}, { status: 'draft' }];
    if (this.#type.localized) scopes.push({ locale: '*' }, { locale: 'fr' }, { status: 'draft', locale: 'de' });
    const urls = queries.map((query) => `${path}${textOf({ ...random.pick(scopes), ...query })}`);
    if (isSingle) return urls;
    const documents = Array.from(this.#model.rows(this.#type.uid).values(), ({ documentId }) => documentId as string);
    for (const documentId of random.some([...new Set(documents), 'missing'], 2, 4)) {
      const query = { ...random.pick(scopes), ...random.pick(this.#selections()) };
      urls.push(`${path}/${encodeURIComponent(documentId)}${textOf(query)}`);
    }
    return urls;
  }

  /** Pages, statuses, locales and populated relations. */
  #selections(): Query[] {
    const queries: Query[] = [{}, { populate: '*' }, { populate: '*', status: 'draft' }, { fields: 'id' }];
    if (this.#type.kind !== 'singleType') queries.push(...this.#pages());
    for (const name of this.#linkNames()) {
      queries.push(...this.#populates(this.#attributes()[name]!).map((option) => ({ populate: { [name]: option } })));
    }
    if (this.#type.localized) queries.push({ populate: { localizations: { fields: 'title' } }, locale: '*' });
    return queries;
  }

  #pages(): Query[] {
    const publications = this.#random.some(publicationFilters, 2, 3);
    return [
      { locale: '*', pagination: { page: 2, pageSize: 3 } },
      { pagination: { start: 4, limit: 2 }, sort: 'id:desc' },
      { status: 'draft', pagination: { page: 3, pageSize: 1 } },
      { _q: this.#textValue() },
      { _q: '1', sort: this.#sort() },
      ...publications.map((publicationFilter) => ({ publicationFilter, pagination: { pageSize: 4 } })),
      { publicationFilter: 'modified', filters: { id: { $gt: 2 } } },
    ];
  }

  #populates(attribute: Attribute): unknown[] {
    if (attribute.type === 'dynamiczone' || isPolymorphic(attribute)) return [{ populate: '*' }];
    if (attribute.type !== 'relation') return [true];
    const target = this.#targetOf(attribute);
    const options: unknown[] = [true, { filters: { id: { $gt: 1 } } }, { populate: '*' }];
    if (attribute.morphBy || !isMany(attribute)) return options.slice(0, 1);
    const [sort] = this.#sortableNames(target);
    return [
      ...options,
      { count: true },
      { sort: [`${sort}:desc`] },
      { filters: { [sort!]: { $notNull: true } }, fields: [sort] },
    ];
  }

  /** Each scalar with an operator, and each relation with conditions on its target. */
  #filters(): Query[] {
    const random = this.#random;
    const filters: Query[] = [];
    for (const name of [...this.#sortableNames(this.#type), 'id']) {
      filters.push({ [name]: this.#condition(this.#type, name) });
      if (random.chance(30)) filters.push({ [name]: { $null: random.chance(50) } });
    }
    const [first] = this.#sortableNames(this.#type);
    filters.push({ $or: [{ [first!]: this.#condition(this.#type, first!) }, { id: { $in: [1, 3, 5, 8] } }] });
    for (const name of this.#linkNames()) {
      const attribute = this.#attributes()[name]!;
      if (attribute.type !== 'relation' || isPolymorphic(attribute) || attribute.morphBy) continue;
      const target = this.#targetOf(attribute);
      const visited = random.pick(this.#sortableNames(target));
      filters.push(
        { [name]: { [visited]: this.#condition(target, visited) } },
        { $not: { [name]: { [visited]: this.#condition(target, visited) } } },
        { [name]: { id: { $null: random.chance(50) } } },
      );
    }
    return filters.map((filter) => ({ filters: filter, ...(random.chance(30) ? { sort: this.#sort() } : {}) }));
  }

  #sorts(): Query[] {
    const page = { page: this.#random.integer(1, 3), pageSize: 3 };
    const own = this.#sortableNames(this.#type).map((name) => ({
      sort: `${name}:${this.#random.pick(['asc', 'desc'])}`,
    }));
    const related = this.#linkNames().flatMap((name) => {
      const attribute = this.#attributes()[name]!;
      if (attribute.type !== 'relation' || isPolymorphic(attribute) || attribute.morphBy) return [];
      return { sort: [`${name}.${this.#random.pick(this.#sortableNames(this.#targetOf(attribute)))}:desc`, 'id'] };
    });
    return [...own, ...related].map((query) => ({
      ...query,
      ...(this.#random.chance(60) ? { pagination: page } : {}),
    }));
  }

  #sort(): string {
    return `${this.#random.pick(this.#sortableNames(this.#type))}:${this.#random.pick(['asc', 'desc'])}`;
  }

  #condition(type: Type, name: string): Query {
    const random = this.#random;
    const attribute = attributeOf(type, name)!;
    const operand = () => this.#operand(type, name);
    if (attribute.type === 'boolean') return { $eq: random.chance(50) };
    if (isText(attribute) && random.chance(60)) {
      const text = String(operand());
      return { [random.pick(textOperators)]: random.chance(50) ? text : [...text].slice(0, 2).join('') };
    }
    if (random.chance(20)) return { [random.pick(['$in', '$notIn'])]: [operand(), operand()] };
    if (random.chance(15)) return { $between: [operand(), operand()] };
    return { [random.pick(orderOperators)]: operand() };
  }

  /** A value that an entry has now, or another. */
  #operand(type: Type, name: string): unknown {
    if (name === 'id') return this.#random.integer(1, 30);
    const rows = type.kind === 'component' ? [] : [...this.#model.rows(type.uid).values()];
    const known = rows.map((data) => data[name]).filter((value) => value !== null && value !== undefined);
    return operandValue(this.#random, attributeOf(type, name)!, known);
  }

  #textValue(): string {
    const text = String(this.#operand(this.#type, this.#sortableNames(this.#type)[0]!));
    return [...text].slice(0, this.#random.integer(1, 4)).join('') || 'a';
  }

  #attributes(): Record<string, Attribute> {
    return this.#type.attributes;
  }

  #linkNames(): string[] {
    return Object.entries(this.#type.attributes).flatMap(([name, attribute]) =>
      isScalar(attribute) || attribute.private ? [] : [name],
    );
  }

  /** The names of scalars that filters and sorts may use. */
  #sortableNames({ attributes, kind }: Type): string[] {
    const own = Object.entries(attributes).flatMap(([name, attribute]) => {
      const isUsable =
        isScalar(attribute) && !attribute.private && attribute.type !== 'password' && isOrdered(attribute);
      return isUsable ? [name] : [];
    });
    return kind === 'component' ? ['id', ...own] : [...own, 'createdAt', 'documentId'];
  }

  #targetOf({ target, component }: Attribute): Type {
    const { snapshot } = this.#model;
    return contentTypes(snapshot)[target!] ?? componentTypes(snapshot)[component!]!;
  }
}

function textOf(query: Query): string {
  const text = qs.stringify(query, { encodeValuesOnly: true, strictNullHandling: true });
  return text === '' ? '' : `?${text}`;
}
