import { useEffect, useRef } from 'preact/hooks';
import { focusNext, RemoveButton } from '../controls/remove-button.tsx';
import { stepsOf } from '../paths/attribute-paths.ts';
import { PathSelects } from '../paths/path-selects.tsx';
import type { FilterChip } from '../query/explored-query.ts';
import { useExplored } from '../state/explored.ts';
import { chipAt } from './new-filters.ts';
import { OperandControl } from './operand-control.tsx';
import { operandOf, valuesOf, wordsOf } from './operator-words.ts';

interface ChipEditorProps {
  readonly chip: FilterChip;
  /** The position of the filter, or of the group that it is in. */
  readonly index: number;
  /** When it is another number, the focus moves to the value. */
  readonly focus?: number;
  onChange(chip: FilterChip): void;
  onRemove(): void;
  /** Makes a group of the filter and another one, of which one must hold. */
  readonly onOr?: () => void;
}

/** A filter, edited in its place: attribute, operator and value. */
export function ChipEditor({ chip, index, focus, onChange, onRemove, onOr }: ChipEditorProps) {
  const { schema, type } = useExplored();
  const operand = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (focus !== undefined) operand.current?.querySelector<HTMLElement>('input, select')?.focus();
  }, [focus]);
  const steps = type && stepsOf(schema, type, chip.path);
  const name = chip.path.join('.');
  if (!type || !steps) {
    return <TextChip text={`${name} ${chip.operator} ${valuesOf(chip).join(', ')}`} onRemove={onRemove} />;
  }
  const { attribute } = steps[steps.length - 1];
  const fitting: readonly string[] = attribute.operators;
  const operators = fitting.includes(chip.operator) ? fitting : [chip.operator, ...fitting];
  return (
    <span
      class="chip"
      role="group"
      aria-label={`Filter on ${name}`}
      // a filter that has only been begun is given up
      onKeyDown={({ key, currentTarget }) => {
        if (focus === undefined || key !== 'Escape') return;
        focusNext(currentTarget);
        onRemove();
      }}
    >
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
      <span class="operand" ref={operand}>
        <OperandControl
          chip={chip}
          attribute={attribute}
          index={index}
          onChange={(value) => onChange({ ...chip, value })}
        />
      </span>
      {onOr && (
        <button
          type="button"
          class="text"
          aria-label={`or: an alternative to the filter on ${name}`}
          title="Add an alternative"
          onClick={onOr}
        >
          or
        </button>
      )}
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
