/** `fallbackLocale`: the locales in which a document is looked for, besides `locale`. */
import type { Binding } from '../policies.ts';
import { type ParameterNode, parseParameter } from '../syntax/parameter-nodes.ts';
import type { QueryTree } from '../syntax/query-tree.ts';
import { featureParameter, wrongParameter } from './feature-parameters.ts';

/** The parameter of the feature of the same name. */
export const fallbackParameter = 'fallbackLocale';

/**
 * Returns the locales in which a document is shown if it has no version in those before: `locale`, or the default
 * locale, and the fallbacks. Null without fallbacks. Throws for an unknown locale as `locale` does, and for all locales.
 */
export function bindFallbacks(binding: Binding, tree: QueryTree): readonly string[] | null {
  const given = featureParameter(binding, 'fallbackLocale', tree, fallbackParameter);
  if (!given) return null;
  const { errors, version } = binding.policies;
  const node = given.kind === 'text' ? parseParameter(fallbackParameter, given.raw.split(',')) : given;
  const codes = node.kind === 'list' ? node.raw.filter((code) => typeof code === 'string') : [];
  if (node.kind !== 'list' || codes.length === 0 || codes.length < node.raw.length) throw errors.notText(given);
  const first = localeOf(binding, tree.locale);
  if ([first, ...codes].includes('*')) {
    const message = `Invalid value * for ${fallbackParameter} or the locale beside it: all locales have no fallback`;
    throw wrongParameter(fallbackParameter, '*', message);
  }
  version.readLocale(binding, node);
  // a locale that no entry has finds nothing
  return [...new Set([first, ...codes])].filter((code) => binding.locales.has(code));
}

/** Returns the locale that comes first. */
function localeOf(binding: Binding, node: ParameterNode): string {
  const { errors, version } = binding.policies;
  if (node.kind === 'empty' || node.raw === '') return binding.defaultLocale;
  if (node.kind !== 'text') throw node.kind === 'list' ? errors.severalLocales(node) : errors.notText(node);
  const read = version.readLocale(binding, node);
  return typeof read === 'object' && typeof read.raw === 'string' ? read.raw : node.raw;
}
