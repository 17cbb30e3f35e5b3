import { type Dialect, dialectFor } from '../../src/core/dialect.ts';
import { RequestError } from '../../src/core/errors.ts';
import { Problems } from '../../src/core/problems.ts';
import { allPermissions, type PermissionSet } from '../../src/model/access/permissions.ts';
import { readSchema } from '../../src/model/schema/read-schema.ts';
import type { FeatureName } from '../../src/model/settings/features.ts';
import { bind } from '../../src/query/bind/bind.ts';
import { QueryBudget } from '../../src/query/bind/context.ts';
import { queryPolicies } from '../../src/query/dialects.ts';
import type { Binding, RouteContext } from '../../src/query/policies.ts';
import type { RawQuery } from '../../src/query/syntax/parse.ts';
import { parseTree } from '../../src/query/syntax/query-tree.ts';

const relation = (kind: string, target: string, options: object = {}) => ({
  type: 'relation',
  relation: kind,
  target,
  ...options,
});

/** Articles with an author, tags, a secret and a dynamic zone. */
export const schema = readSchema(
  [
    {
      uid: 'api::article.article',
      location: 'article',
      component: false,
      info: { singularName: 'article', pluralName: 'articles' },
      options: { draftAndPublish: true },
      attributes: {
        title: { type: 'string' },
        views: { type: 'integer' },
        secret: { type: 'string', private: true },
        author: relation('manyToOne', 'api::author.author', { inversedBy: 'articles' }),
        tags: relation('manyToMany', 'api::tag.tag'),
        zone: { type: 'dynamiczone', components: ['block.quote'] },
      },
    },
    {
      uid: 'api::author.author',
      location: 'author',
      component: false,
      info: { singularName: 'author', pluralName: 'authors' },
      attributes: {
        name: { type: 'string' },
        articles: relation('oneToMany', 'api::article.article', { mappedBy: 'author' }),
      },
    },
    {
      uid: 'api::tag.tag',
      location: 'tag',
      component: false,
      info: { singularName: 'tag', pluralName: 'tags' },
      attributes: { name: { type: 'string' } },
    },
    { uid: 'block.quote', location: 'quote', component: true, attributes: { text: { type: 'string' } } },
  ],
  new Problems(),
);

export function bindingFor(
  dialect: Dialect['name'],
  permissions: PermissionSet = allPermissions(),
  strapiVersion: string | null = '5.0.0',
  features: readonly FeatureName[] = [],
): Binding {
  return {
    schema,
    policies: queryPolicies(dialectFor(dialect, strapiVersion)),
    permissions,
    defaultLimit: 25,
    maxLimit: 100,
    arrayLimit: 100,
    defaultLocale: 'en',
    countsFacets: true,
    features: new Set(features),
    locales: new Set(['en']),
    budget: new QueryBudget({ queryBytes: 9999, parameters: 99, depth: 9, conditions: 99, populate: 99, sorts: 99 }),
    omitted: [],
  };
}

/** Binds a query to articles. */
export function bindArticles(binding: Binding, query: RawQuery, route: Partial<RouteContext> = {}) {
  return bind(
    binding,
    {
      type: schema.type('api::article.article'),
      paging: 'pagination',
      takesSeveralLocales: true,
      checksAnswerable: false,
      namesDocument: false,
      namesRow: false,
      hasFacets: true,
      isPluginType: false,
      ...route,
    },
    parseTree(query),
  );
}

/** The error of a query. Fails if there is none. */
export function errorOf(query: Record<string, unknown>, binding = bindingFor('document'), route = {}): RequestError {
  try {
    bindArticles(binding, query, route);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(query)} is accepted`);
}
