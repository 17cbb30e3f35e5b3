import { useState } from 'preact/hooks';
import type { AttributeDescription } from '../../description/describe-schema.ts';
import { Isolated } from '../controls/isolated.tsx';
import type { FilterChip } from '../query/explored-query.ts';
import { isFalse, operandKindOf, operandOf, valuesOf } from './operator-words.ts';
import { useOffers } from './use-offers.ts';
import { ValueBox } from './value-box.tsx';

interface OperandControlProps {
  readonly chip: FilterChip;
  readonly attribute: AttributeDescription;
  /** The position of the filter, or of the group that it is in. */
  readonly index: number;
  onChange(value: FilterChip['value']): void;
}

/** The control for the value of a filter: one or two boxes, a list of values, or yes and no. */
export function OperandControl({ chip, attribute, index, onChange }: OperandControlProps) {
  const [isWanted, setIsWanted] = useState(false);
  const offers = useOffers(index, chip.path, attribute, isWanted);
  const { operator } = chip;
  const values = valuesOf(chip);
  const kind = operandKindOf(operator);
  const change = (next: readonly string[]) => onChange(operandOf(operator, next));
  const box = (label: string, position: number) => (
    <ValueBox
      key={kind === 'list' ? 'another' : position}
      label={label}
      value={values[position] ?? ''}
      offers={kind === 'list' ? offers.filter(({ value }) => !values.includes(value)) : offers}
      onToggle={setIsWanted}
      onCommit={(value) => change(Object.assign([...values], { [position]: value }))}
    />
  );

  if (kind === 'boolean') {
    return (
      <select
        aria-label="Value"
        value={isFalse(values[0]) ? 'false' : 'true'}
        onChange={(event) => change([event.currentTarget.value])}
      >
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  }
  if (kind === 'pair') {
    return (
      <>
        {box('From', 0)}
        <span class="quiet">and</span>
        {box('To', 1)}
      </>
    );
  }
  if (kind !== 'list') return box('Value', 0);
  return (
    <>
      {values.map((value, i) => (
        <button
          type="button"
          class="token"
          key={i}
          aria-label={`Remove ${value}`}
          onClick={({ currentTarget }) => {
            currentTarget.parentElement?.querySelector('input')?.focus();
            change(values.filter((_, j) => j !== i));
          }}
        >
          <Isolated text={value} /> <span aria-hidden="true">×</span>
        </button>
      ))}
      {box('Another value', values.length)}
    </>
  );
}
