import { RemoveButton } from '../controls/remove-button.tsx';
import type { FilterChip, FilterGroup } from '../query/explored-query.ts';
import { useExplored } from '../state/explored.ts';
import { ChipEditor } from './filter-chip.tsx';
import { isComplete } from './operator-words.ts';

const groupWords = { $or: 'any of', $and: 'all of', $not: 'not' };
const operators = ['$or', '$and', '$not'] as const;

interface GroupEditorProps {
  readonly group: FilterGroup;
  /** The position of the group among the filters. */
  readonly index: number;
  onChange(group: FilterGroup): void;
  onRemove(): void;
}

/** Filters below one logical operator. */
export function GroupEditor({ group, index, onChange, onRemove }: GroupEditorProps) {
  const { draft, setDraft, beginFilter } = useExplored();
  const { operator, chips } = group;
  const setChips = (next: readonly FilterChip[]) =>
    next.length > 0 ? onChange({ ...group, chips: next }) : onRemove();
  const isDrafted = draft?.group === index;
  const changeDraft = (chip: FilterChip) => {
    if (!isComplete(chip)) return setDraft({ ...draft!, chip });
    setDraft(null);
    setChips([...chips, chip]);
  };
  return (
    <span class="group bar" role="group" aria-label={`Group ${operator}`}>
      <select
        class="operator"
        aria-label="Operator of the group"
        value={operator}
        onChange={({ currentTarget }) => onChange({ ...group, operator: operators[currentTarget.selectedIndex] })}
      >
        {operators.map((each) => (
          <option key={each} value={each}>
            {groupWords[each]} · {each}
          </option>
        ))}
      </select>
      {(isDrafted ? [...chips, draft.chip] : chips).map((chip, i) => {
        const isDraft = i === chips.length;
        return (
          <ChipEditor
            key={i}
            chip={chip}
            index={index}
            focus={isDraft ? draft?.focus : undefined}
            onChange={isDraft ? changeDraft : (changed) => setChips(chips.with(i, changed))}
            onRemove={isDraft ? () => setDraft(null) : () => setChips(chips.toSpliced(i, 1))}
          />
        );
      })}
      <button type="button" class="add" onClick={() => beginFilter(chips[chips.length - 1].path, index)}>
        + {operator === '$or' ? 'or' : 'and'}
      </button>
      <RemoveButton label={`Remove the group ${operator}`} onClick={onRemove} />
    </span>
  );
}
