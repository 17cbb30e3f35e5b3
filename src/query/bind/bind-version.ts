/** The versions of a document that a query asks for: its status and its publication. */
import { type PublicationFilter, publicationFilters } from '../../model/schema/publication-filters.ts';
import type { Status } from '../bound.ts';
import type { Binding } from '../policies.ts';
import type { ParameterNode } from '../syntax/parameter-nodes.ts';
import type { QueryTree } from '../syntax/query-tree.ts';

/**
 * Binds `status` and `publicationState`. Null is every status. For a type without drafts the status applies to its
 * populated relations. With `isIdOnly` the path names a row, whatever its status.
 */
export function bindStatus(
  { policies, permissions }: Binding,
  tree: QueryTree,
  isPluginType: boolean,
  isIdOnly: boolean,
): Status | null {
  const { version } = policies;
  const state = version.publicationState(tree.publicationState);
  if (isIdOnly) return null;
  const { status } = tree;
  version.checkStatus(status);
  if (state === 'live') return 'published';
  if (state === null && status.raw === undefined) return isPluginType ? version.statusOfPlugins : 'published';
  if (state === null && status.raw === 'published') return 'published';
  version.checkDrafts(permissions);
  return version.drafts;
}

/** Binds `publicationFilter`. It reveals whether there are drafts, whichever rows it leaves. */
export function bindPublicationFilter(
  { policies, permissions }: Binding,
  node: ParameterNode,
): PublicationFilter | null {
  if (node.kind === 'empty') return null;
  const filter = publicationFilters.find((known) => known === node.raw);
  if (!filter) throw policies.errors.unknownChoice(node, publicationFilters);
  policies.version.checkDrafts(permissions);
  return filter;
}

/** Binds `hasPublishedVersion`, the older name of two publication filters. `filter` takes precedence. */
export function bindPublishedFlag(
  { policies, permissions }: Binding,
  node: ParameterNode,
  filter: PublicationFilter | null,
): PublicationFilter | null {
  if (node.kind === 'empty') return filter;
  const flag = policies.version.publishedFlag(node.raw);
  if (flag === null) throw policies.errors.wrongPublishedFlag(node);
  if (filter !== null) return filter;
  policies.version.checkDrafts(permissions);
  return flag ? 'has-published-version-document' : 'never-published-document';
}
