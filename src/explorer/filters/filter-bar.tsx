import { addFilter, removeFilter, replaceFilter } from '../query/edit.ts';
import type { FilterChip, FilterGroup, FilterItem } from '../query/explored-query.ts';
import { nameOf, type Parameter, printParameters } from '../query/parameters.ts';
import { useExplored } from '../state/explored.ts';
import { labelOf } from '../state/schema-index.ts';
import { ChipEditor, RemoveButton, TextChip } from './filter-chip.tsx';
import { isComplete } from './operator-words.ts';

/** The filters of the query as chips, and what else is kept as it is written. */
export function FilterBar() {
  const { query, type, edit, draft, setDraft, beginFilter, isList } = useExplored();
  const { filters } = query;
  const setItem = (index: number) => (item: FilterItem) => edit((before) => replaceFilter(before, index, item));
  const changeDraft = (chip: FilterChip) => {
    if (!isComplete(chip)) return setDraft(chip);
    setDraft(null);
    edit((before) => addFilter(before, chip));
  };
  // a draft that is complete becomes the last filter, and keeps its elements and the focus
  const items: readonly FilterItem[] = draft ? [...filters, draft] : filters;
  return (
    <div class="bar">
      <span class="bar-name">Filters</span>
      {items.map((item, i) => {
        const isDraft = i === filters.length;
        const remove = () => (isDraft ? setDraft(null) : edit((before) => removeFilter(before, i)));
        return item.kind === 'chip' ? (
          <ChipEditor
            // the position is the identity of a filter
            key={i}
            chip={item}
            index={i}
            hasFocus={isDraft}
            onChange={isDraft ? changeDraft : setItem(i)}
            onRemove={remove}
          />
        ) : (
          <GroupEditor key={i} group={item} index={i} onChange={setItem(i)} onRemove={remove} />
        );
      })}
      <KeptParameters />
      {type && isList && (
        <button type="button" onClick={() => beginFilter([labelOf(type).name])}>
          + Filter
        </button>
      )}
    </div>
  );
}

const groupWords = { $or: 'any of', $and: 'all of', $not: 'not' };

interface GroupEditorProps {
  readonly group: FilterGroup;
  readonly index: number;
  onChange(group: FilterGroup): void;
  onRemove(): void;
}

function GroupEditor({ group, index, onChange, onRemove }: GroupEditorProps) {
  const { operator, chips } = group;
  const setChips = (next: readonly FilterChip[]) =>
    next.length > 0 ? onChange({ ...group, chips: next }) : onRemove();
  return (
    <span class="group" role="group" aria-label={`Group ${operator}`}>
      <span class="group-name">
        {groupWords[operator]} <code>{operator}</code>
      </span>
      {chips.map((chip, i) => (
        <ChipEditor
          key={i}
          chip={chip}
          index={index}
          onChange={(changed) => setChips(chips.with(i, changed))}
          onRemove={() => setChips(chips.toSpliced(i, 1))}
        />
      ))}
      <RemoveButton label={`Remove the group ${operator}`} onClick={onRemove} />
    </span>
  );
}

/** Parameters without a control. Those of `filters` are one condition, so they are removed together. */
function KeptParameters() {
  const { query, edit } = useExplored();
  const isFilter = (parameter: Parameter) => nameOf(parameter) === 'filters';
  const filters = query.kept.filter(isFilter);
  const others = query.kept.filter((parameter) => !isFilter(parameter));
  const groups = [...(filters.length > 0 ? [filters] : []), ...others.map((parameter) => [parameter])];
  return (
    <>
      {groups.map((group) => {
        const text = printParameters(group);
        const remove = () =>
          edit((before) => ({
            ...before,
            kept: before.kept.filter(
              (each) => !group.some((parameter) => printParameters([parameter]) === printParameters([each])),
            ),
          }));
        return <TextChip key={text} text={text} onRemove={remove} />;
      })}
    </>
  );
}
