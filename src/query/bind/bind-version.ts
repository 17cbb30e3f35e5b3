/** The versions of a document that a query asks for: its status and its publication. */

import type { EntryType } from '../../model/schema/schema.ts';
import { type Condition, matchNothing, type PublicationFilter, publicationFilters, type Status } from '../bound.ts';
import { type Binding, everyLocale, type LocaleNode } from '../policies.ts';
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

/** Binds `locale`: one locale, all (`*`, null), or with `takesSeveral` a list of locales, which is a condition. */
export function bindLocale(
  binding: Binding,
  type: EntryType,
  given: LocaleNode,
  takesSeveral: boolean,
): { locale: string | null; condition: Condition | null } {
  const { defaultLocale, policies } = binding;
  const { errors, version } = policies;
  const node = version.readLocale(binding, given);
  if (!type.localized || node === everyLocale) return { locale: null, condition: null };
  // one document has one row per locale, so "all" names none of them
  if (node.raw === '*') return { locale: null, condition: takesSeveral ? null : matchNothing };
  if (node.kind === 'empty' || node.raw === '') return { locale: defaultLocale, condition: null };
  if (node.kind === 'text') return { locale: node.raw, condition: null };
  if (node.kind === 'other' || !node.raw.every((code) => typeof code === 'string')) throw errors.notText(node);
  if (!takesSeveral) throw errors.severalLocales(node);
  const condition: Condition = {
    kind: 'value',
    attribute: 'locale',
    comparison: 'oneOf',
    operands: node.raw,
    negated: false,
  };
  return { locale: null, condition };
}
