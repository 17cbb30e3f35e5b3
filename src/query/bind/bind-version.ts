/** The versions of a document that a query asks for: its status and its publication. */
import { type PublicationFilter, publicationFilters } from '../../model/publication-filters.ts';
import type { Status } from '../bound.ts';
import type { MessagePolicy } from '../messages.ts';
import type { RawQuery } from '../syntax/parse.ts';
import type { Binding } from './binding.ts';

/**
 * Binds `status` and `publicationState`. Null is every status. A type without drafts has one status, whatever is asked;
 * relations follow the status, so it counts there too. With `isIdOnly` the path names a row, whatever its status.
 */
export function bindStatus(
  { policies, permissions }: Binding,
  query: RawQuery,
  isPluginType: boolean,
  isIdOnly: boolean,
): Status | null {
  const { version } = policies;
  const state = version.publicationState(query.publicationState);
  if (isIdOnly) return null;
  const { status } = query;
  version.checkStatus(status);
  if (state === 'live') return 'published';
  if (state === null && status === undefined) return isPluginType ? version.statusOfPlugins : 'published';
  if (state === null && status === 'published') return 'published';
  version.checkDrafts(permissions);
  return version.drafts;
}

const states = ['live', 'preview'] as const;

/** Returns the `publicationState` of Strapi 4. Throws for a value that does not exist. */
export function readPublicationState(value: unknown, messages: MessagePolicy): 'live' | 'preview' | null {
  if (value === undefined || value === null) return null;
  const state = states.find((known) => known === value);
  if (!state) throw messages.choice('publicationState', value, states);
  return state;
}

/** Binds `publicationFilter`. It reveals whether there are drafts, whichever rows it leaves. */
export function bindPublicationFilter({ policies, permissions }: Binding, name: unknown): PublicationFilter | null {
  if (name === undefined || name === null) return null;
  const filter = publicationFilters.find((known) => known === name);
  if (!filter) throw policies.messages.choice('publicationFilter', name, publicationFilters);
  policies.version.checkDrafts(permissions);
  return filter;
}

/** Binds `hasPublishedVersion`, the older name of two publication filters. `filter` takes precedence. */
export function bindPublishedFlag(
  { policies, permissions }: Binding,
  value: unknown,
  filter: PublicationFilter | null,
): PublicationFilter | null {
  if (value === undefined || value === null) return filter;
  const flag = policies.version.publishedFlag(value);
  if (flag === null) throw policies.messages.publishedFlag(value);
  if (filter !== null) return filter;
  policies.version.checkDrafts(permissions);
  return flag ? 'has-published-version-document' : 'never-published-document';
}
