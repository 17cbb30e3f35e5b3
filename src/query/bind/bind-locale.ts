import type { EntryType } from '../../model/schema/schema.ts';
import { type Condition, matchNothing } from '../bound.ts';
import { type Binding, everyLocale, type LocaleNode } from '../policies.ts';

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
