/** `language`: the language whose rules sort texts, and that makes searches ignore accents. */
import { preview } from '../../core/problems.ts';
import type { ScalarAttribute } from '../../model/schema/schema.ts';
import { comparisonKindOf } from '../../model/schema/value-types.ts';
import type { Comparison } from '../operators.ts';
import type { Binding } from '../policies.ts';
import type { QueryTree } from '../syntax/query-tree.ts';
import { featureParameter, wrongParameter } from './feature-parameters.ts';

/** The parameter of the feature `languageAware`. */
export const languageParameter = 'language';

/** Returns the language of a query in its canonical form, or null. Throws for a value that is no language tag. */
export function bindLanguage(binding: Binding, tree: QueryTree): string | null {
  const node = featureParameter(binding, 'languageAware', tree, languageParameter);
  if (!node) return null;
  const language = node.kind === 'text' ? canonical(node.raw) : null;
  if (language !== null) return language;
  const message = `Invalid value ${preview(node.raw)} for ${languageParameter}: expected a language tag (BCP 47), such as de`;
  throw wrongParameter(languageParameter, node.raw, message);
}

/** Returns null for a text that is no language tag. */
function canonical(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

const foldedComparisons: ReadonlySet<Comparison> = new Set<Comparison>([
  'equalFolded',
  'containsFolded',
  'startsWithFolded',
  'endsWithFolded',
  'matchesFolded',
]);

/** Returns a mark of a comparison that ignores accents: one of texts that ignores case, in a query with a language. */
export function accentRule(
  { language }: Pick<Binding, 'language'>,
  comparison: Comparison,
  { type }: ScalarAttribute,
): { readonly ignoresAccents?: true } {
  const ignoresAccents =
    language !== undefined && foldedComparisons.has(comparison) && comparisonKindOf(type) === 'text';
  return ignoresAccents ? { ignoresAccents } : noRule;
}

const noRule = {};
