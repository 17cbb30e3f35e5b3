/** The policies of each dialect. */
import type { Dialect, DialectName } from '../base/dialect.ts';
import { strictCasts } from './document/casts.ts';
import { explainedMessages } from './document/explained-messages.ts';
import { strictFilter, strictFilterOfVersion4 } from './document/filter.ts';
import { strictPage } from './document/page.ts';
import { strictPopulate } from './document/populate.ts';
import { commonParameters, strictRequest } from './document/request.ts';
import { strictSelection } from './document/selection.ts';
import { strictSort } from './document/sort.ts';
import { strictVersion, strictVersionOfVersion4 } from './document/version.ts';
import type { QueryPolicies } from './policies.ts';
import { recordedCasts } from './strapi/casts.ts';
import { filterOfVersion4, filterOfVersion5 } from './strapi/filter.ts';
import { pageOfVersion4, pageOfVersion5 } from './strapi/page.ts';
import { populateOfVersion4, populateOfVersion5 } from './strapi/populate.ts';
import { recordedMessages } from './strapi/recorded-messages.ts';
import { requestOfVersion4, requestOfVersion5 } from './strapi/request.ts';
import { selectionOfVersion4, selectionOfVersion5 } from './strapi/selection.ts';
import { recordedSort } from './strapi/sort.ts';
import { versionOfVersion4, versionOfVersion5 } from './strapi/version.ts';

const document: QueryPolicies = {
  request: strictRequest(new Set(commonParameters)),
  casts: strictCasts,
  messages: explainedMessages,
  filter: strictFilter,
  sort: strictSort,
  page: strictPage,
  version: strictVersion,
  selection: strictSelection,
  populate: strictPopulate,
};

const documentVersion4: QueryPolicies = {
  ...document,
  request: strictRequest(new Set([...commonParameters, 'publicationState'])),
  filter: strictFilterOfVersion4,
  version: strictVersionOfVersion4,
};

const strapi: QueryPolicies = {
  request: requestOfVersion5,
  casts: recordedCasts,
  messages: recordedMessages,
  filter: filterOfVersion5,
  sort: recordedSort,
  page: pageOfVersion5,
  version: versionOfVersion5,
  selection: selectionOfVersion5,
  populate: populateOfVersion5,
};

const strapiVersion4: QueryPolicies = {
  ...strapi,
  request: requestOfVersion4,
  filter: filterOfVersion4,
  page: pageOfVersion4,
  version: versionOfVersion4,
  selection: selectionOfVersion4,
  populate: populateOfVersion4,
};

const policies: Readonly<Record<DialectName, Readonly<Record<4 | 5, QueryPolicies>>>> = {
  document: { 4: documentVersion4, 5: document },
  strapi: { 4: strapiVersion4, 5: strapi },
};

export function queryPolicies({ name, contentVersion }: Dialect): QueryPolicies {
  return policies[name][contentVersion];
}
