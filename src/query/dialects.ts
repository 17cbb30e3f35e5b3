/** The policies of each dialect. */
import type { Dialect, DialectName } from '../core/dialect.ts';
import type { FeatureName } from '../model/settings/features.ts';
import { fallbackParameter } from './bind/bind-fallback.ts';
import { folderParameter } from './bind/bind-folder.ts';
import { languageParameter } from './bind/bind-language.ts';
import { postgresRules, withDatabase } from './databases.ts';
import { documentErrors } from './document/errors.ts';
import { documentPopulateChecks, documentPopulateResult, documentPopulateSyntax } from './document/populate.ts';
import {
  document4Filter,
  document4Version,
  documentCasts,
  documentFilter,
  documentPage,
  documentRequest,
  documentSelection,
  documentSort,
  documentVersion,
} from './document/rules.ts';
import type { QueryPolicies, RequestPolicy } from './policies.ts';
import { commonParameters } from './shared-readers.ts';
import { strapiCasts } from './strapi/casts.ts';
import { strapiErrors } from './strapi/errors.ts';
import {
  strapi4PopulateChecks,
  strapi4PopulateResult,
  strapi4PopulateSyntax,
  strapiPopulateChecks,
  strapiPopulateResult,
  strapiPopulateSyntax,
} from './strapi/populate.ts';
import {
  strapi4Filter,
  strapi4Page,
  strapi4Request,
  strapi4Selection,
  strapi4Version,
  strapiFilter,
  strapiPage,
  strapiRequest,
  strapiSelection,
  strapiVersion,
} from './strapi/rules.ts';
import { strapiSort } from './strapi/sort.ts';

const documentPolicies: QueryPolicies = {
  request: documentRequest(new Set(commonParameters)),
  casts: documentCasts,
  errors: documentErrors,
  database: postgresRules,
  filter: documentFilter,
  sort: documentSort,
  page: documentPage,
  version: documentVersion,
  selection: documentSelection,
  populateSyntax: documentPopulateSyntax,
  populateChecks: documentPopulateChecks,
  populateResult: documentPopulateResult,
};

const document4Policies: QueryPolicies = {
  ...documentPolicies,
  request: documentRequest(new Set([...commonParameters, 'publicationState'])),
  filter: document4Filter,
  version: document4Version,
};

const strapiPolicies: QueryPolicies = {
  request: strapiRequest,
  casts: strapiCasts,
  errors: strapiErrors,
  database: postgresRules,
  filter: strapiFilter,
  sort: strapiSort,
  page: strapiPage,
  version: strapiVersion,
  selection: strapiSelection,
  populateSyntax: strapiPopulateSyntax,
  populateChecks: strapiPopulateChecks,
  populateResult: strapiPopulateResult,
};

const strapi4Policies: QueryPolicies = {
  ...strapiPolicies,
  request: strapi4Request,
  filter: strapi4Filter,
  page: strapi4Page,
  version: strapi4Version,
  selection: strapi4Selection,
  populateSyntax: strapi4PopulateSyntax,
  populateChecks: strapi4PopulateChecks,
  populateResult: strapi4PopulateResult,
};

const policies: Readonly<Record<DialectName, Readonly<Record<4 | 5, QueryPolicies>>>> = {
  document: { 4: document4Policies, 5: documentPolicies },
  strapi: { 4: strapi4Policies, 5: strapiPolicies },
};

/** `showsDrafts`: every row that is shown counts as published, whichever status a query names. */
export function queryPolicies(
  dialect: Dialect,
  showsDrafts = false,
  features: readonly FeatureName[] = [],
): QueryPolicies {
  const ofDatabase = withDatabase(policies[dialect.name][dialect.strapiMajorVersion], dialect);
  const added = features.flatMap((feature) => featureParameters[feature] ?? []);
  const found = added.length > 0 ? { ...ofDatabase, request: withParameters(ofDatabase.request, added) } : ofDatabase;
  if (!showsDrafts) return found;
  const version = {
    ...found.version,
    statusOfPlugins: 'published',
    drafts: 'published',
    checkDrafts: () => {},
  } as const;
  return { ...found, version };
}

/** The parameters of features. */
const featureParameters: Partial<Record<FeatureName, string>> = {
  fallbackLocale: fallbackParameter,
  languageAware: languageParameter,
  fileFolders: folderParameter,
};

/** Returns the policy with more parameters, which count in the dialect `strapi` too. */
function withParameters(request: RequestPolicy, added: readonly string[]): RequestPolicy {
  const parameters = new Set([...request.parameters, ...added]);
  if (!request.ignoresUnknownParameters) return documentRequest(parameters);
  return { ...request, parameters, ignores: (name) => !added.includes(name) && request.ignores(name) };
}
