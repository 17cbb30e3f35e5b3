import type { CodeSet } from '../../core/sets/code-set.ts';
import type { TextKeys } from '../../model/collations/collation.ts';
import type { Column } from '../../store/columns/column.ts';
import type { ValueCondition } from '../bound.ts';
import { withoutAccents } from '../visible/language-texts.ts';
import { countingCost } from './cost-model.ts';
import { unit } from './cost-units.ts';
import { codesFor } from './operator-codes.ts';
import type { RequestView } from './request-view.ts';

/**
 * Returns the codes of a column of texts for which a comparison is true that ignores accents. `use` chooses the keys of
 * the collation, if there is one. Charges for taking the accents off, whether that has been done before or not.
 */
export function unaccentedCodes(
  { budget, textKeys, derived }: RequestView,
  column: Column,
  condition: ValueCondition,
  use: keyof TextKeys,
): CodeSet {
  const { dictionary } = column;
  const bytes = 'bytes' in dictionary ? dictionary.bytes.length : 0;
  budget.charge(unit.plannedComparison + dictionary.size * unit.unaccentedValue + bytes * unit.unaccentedByte);
  const keyOf = textKeys && ((text: string) => textKeys[use](text));
  const operands = condition.operands.map((operand) => {
    if (operand === null) return null;
    const text = withoutAccents(String(operand));
    return keyOf ? keyOf(text) : text;
  });
  const compared = { ...condition, operands };
  const unaccented = derived.languageTexts.unaccented(column, keyOf ? use : '', keyOf);
  if (!unaccented) {
    const codes = codesFor(dictionary, compared, budget);
    budget.charge(countingCost(codes));
    return codes;
  }
  const found = codesFor(unaccented.dictionary, compared, budget);
  budget.charge(countingCost(found));
  const codes: CodeSet = { kind: 'list', codes: unaccented.rowListWithCodes(found).map((value) => value + 1) };
  budget.charge(countingCost(codes));
  return codes;
}
