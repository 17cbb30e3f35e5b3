import type { BoundQuery } from '../bound.ts';
import { type Binding, everyLocale, type RouteContext } from '../policies.ts';
import { rootPart } from '../syntax/location.ts';
import type { QueryTree } from '../syntax/query-tree.ts';
import { bindFacets } from './bind-facets.ts';
import { bindFallbacks } from './bind-fallback.ts';
import { bindCheckedFilters, combined } from './bind-filters.ts';
import { bindFolder } from './bind-folder.ts';
import { bindLanguage } from './bind-language.ts';
import { bindCheckedSort, bindFields, bindSelection } from './bind-names.ts';
import { bindSearch } from './bind-search.ts';
import { bindLocale, bindPublicationFilter, bindPublishedFlag, bindStatus } from './bind-version.ts';
import { bindDeep, deepDepth } from './populate/bind-deep.ts';
import { bindPopulate } from './populate/bind-populate.ts';

/**
 * Resolves a query against the schema as the caller may see it, casts operands and sets defaults. Throws for every
 * invalid query. `bindPage` checks the page; the budgets of rows and bytes are checked when the query runs.
 *
 * Of several mistakes in a query the first is reported, so the order of the calls is part of the contract. It is that
 * of Strapi: unknown parameters, then names, `fields` and `populate`, then values.
 */
export function bind(given: Binding, route: RouteContext, tree: QueryTree): Omit<BoundQuery, 'page'> {
  const { type } = route;
  const { request, populateSyntax } = given.policies;
  request.checkParameters(tree.parameters);
  const language = bindLanguage(given, tree);
  const binding = language === null ? given : { ...given, language };
  const publicationFilter = bindPublicationFilter(binding, tree.publicationFilter);
  request.checkFilterNames(binding, type, tree.filters, 'filters');
  request.checkSortNames(binding, type, tree.sort, 'sort');
  const fields = bindFields(binding, type, tree.fields, rootPart('fields'));
  const depth = deepDepth(binding, type, tree.populate);
  const deep = depth === null ? null : bindDeep(binding, type, depth);
  const populate = deep?.populate ?? bindPopulate(binding, type, populateSyntax.rewrite(binding, type, tree.populate));
  const isIdOnly = request.readsIdOnly(route);
  const sort = isIdOnly ? [] : bindCheckedSort(binding, type, tree.sort, rootPart('sort'));
  const { filters, locale } = request.resolveConflicts(route, tree);
  const publication = bindPublishedFlag(binding, tree.hasPublishedVersion, publicationFilter);
  const filter = isIdOnly ? null : bindCheckedFilters(binding, type, filters, rootPart('filters'));
  if (route.checksAnswerable && !isIdOnly) request.checkAnswerable(binding, type, filters, sort);
  const locales = bindFallbacks(binding, tree);
  const chosen = locales
    ? { locale: null, condition: null }
    : bindLocale(binding, type, route.namesRow ? everyLocale : locale, route.takesSeveralLocales);
  const search = isIdOnly ? null : bindSearch(binding, type, tree.search);
  const folder = bindFolder(binding, route, tree);
  const facets = bindFacets(binding, route, tree.facets);
  const rows = { schema: binding.schema, attribute: null, filter, sort };
  return {
    type: type.uid,
    filter: combined([filter, search, chosen.condition], 'all', false),
    sort,
    selection: bindSelection(binding, type, fields, populate, rows),
    status: bindStatus(binding, tree, route.isPluginType, isIdOnly),
    publication,
    locale: chosen.locale,
    ...(locales && { locales }),
    ...(folder && { folder }),
    ...(facets.length > 0 && { facets }),
    ...(deep && { deep: { depth: deep.depth, boundDepth: deep.boundDepth } }),
  };
}
