import type { FilterChip } from '../query/explored-query.ts';
import { useExplored } from '../state/explored.ts';
import { chipAt, stepsOf } from './chip-paths.ts';
import { OperandControl } from './operand-control.tsx';
import { operandOf, valuesOf, wordsOf } from './operator-words.ts';
import { PathSelects } from './path-selects.tsx';

interface ChipEditorProps {
  readonly chip: FilterChip;
  /** The position of the filter, or of the group that it is in. */
  readonly index: number;
  /** Whether the focus moves to the value. */
  readonly hasFocus?: boolean;
  onChange(chip: FilterChip): void;
  onRemove(): void;
}

/** A filter, edited in its place: attribute, operator and value. */
export function ChipEditor({ chip, index, hasFocus = false, onChange, onRemove }: ChipEditorProps) {
  const { schema, type } = useExplored();
  const steps = type && stepsOf(schema, type, chip.path);
  const name = chip.path.join('.');
  if (!type || !steps) {
    return <TextChip text={`${name} ${chip.operator} ${valuesOf(chip).join(', ')}`} onRemove={onRemove} />;
  }
  const { attribute } = steps[steps.length - 1];
  const fitting: readonly string[] = attribute.operators;
  const operators = fitting.includes(chip.operator) ? fitting : [chip.operator, ...fitting];
  return (
    <span class="chip" role="group" aria-label={`Filter on ${name}`}>
      <PathSelects
        label="Attribute"
        steps={steps}
        onChange={(path) => {
          const moved = chipAt(schema, type, path, chip);
          if (moved) onChange(moved);
        }}
      />
      <select
        class="operator"
        aria-label="Operator"
        value={chip.operator}
        onChange={({ currentTarget: { value: operator } }) =>
          onChange({ ...chip, operator, value: operandOf(operator, valuesOf(chip)) })
        }
      >
        {operators.map((operator) => (
          <option key={operator} value={operator}>
            {wordsOf(operator, attribute)} · {operator}
          </option>
        ))}
      </select>
      <OperandControl
        chip={chip}
        attribute={attribute}
        index={index}
        hasFocus={hasFocus}
        onChange={(value) => onChange({ ...chip, value })}
      />
      <RemoveButton label={`Remove the filter on ${name}`} onClick={onRemove} />
    </span>
  );
}

/** What the page cannot edit, as it is written. */
export function TextChip({ text, onRemove }: { readonly text: string; onRemove(): void }) {
  return (
    <span class="chip kept">
      <code>{text}</code>
      <span class="quiet">kept as written</span>
      <RemoveButton label={`Remove ${text}`} onClick={onRemove} />
    </span>
  );
}

/** The button at the end of a chip. */
export function RemoveButton({ label, onClick }: { readonly label: string; onClick(): void }) {
  return (
    <button type="button" class="icon" aria-label={label} title={label} onClick={onClick}>
      ×
    </button>
  );
}
