import type { EntryType } from '../../model/schema.ts';
import { type Condition, matchNothing } from '../bound.ts';
import { everyLocale } from '../policies.ts';
import type { Binding } from './binding.ts';

/** Binds `locale`: one locale, all (`*`, null), or in a list of entries several, which are a condition. */
export function bindLocale(
  binding: Binding,
  type: EntryType,
  given: unknown,
  isList: boolean,
): { locale: string | null; condition: Condition | null } {
  const { defaultLocale, policies } = binding;
  const { messages, version } = policies;
  const value = version.readLocale(binding, given);
  if (!type.localized || value === everyLocale) return { locale: null, condition: null };
  // one document has one row per locale, so "all" names none of them
  if (value === '*') return { locale: null, condition: isList ? null : matchNothing };
  if (value === undefined || value === null || value === '') return { locale: defaultLocale, condition: null };
  if (typeof value === 'string') return { locale: value, condition: null };
  if (!Array.isArray(value) || !value.every((code) => typeof code === 'string')) throw messages.text('locale', value);
  if (!isList) throw messages.severalLocales(value);
  const condition: Condition = {
    kind: 'value',
    attribute: 'locale',
    comparison: 'oneOf',
    operands: value,
    negated: false,
  };
  return { locale: null, condition };
}
