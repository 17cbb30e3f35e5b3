import type { ComponentChildren } from 'preact';
import { addFilter, removeFilter, replaceFilter } from '../query/edit.ts';
import type { FilterChip, FilterItem } from '../query/explored-query.ts';
import { nameOf } from '../query/parameters.ts';
import { useExplored } from '../state/explored.ts';
import { labelOf } from '../state/schema-index.ts';
import { ChipEditor } from './filter-chip.tsx';
import { GroupEditor } from './group-editor.tsx';
import { KeptParameters } from './kept-parameters.tsx';
import { isComplete } from './operator-words.ts';

/** The filters of the query as chips, and what else is kept as it is written. `children` are further controls. */
export function FilterBar({ children }: { readonly children?: ComponentChildren }) {
  const { query, type, edit, draft, setDraft, beginFilter, isList } = useExplored();
  const { filters } = query;
  const setItem = (index: number) => (item: FilterItem) => edit((before) => replaceFilter(before, index, item));
  const changeDraft = (chip: FilterChip) => {
    if (!isComplete(chip)) return setDraft({ ...draft!, chip });
    setDraft(null);
    edit((before) => addFilter(before, chip));
  };
  // a draft that is complete becomes the last filter, and keeps its elements and the focus
  const items: readonly FilterItem[] = draft && draft.group === undefined ? [...filters, draft.chip] : filters;
  // a second group with the same operator would become a part of another one, which has no controls
  const canGroup =
    !filters.some((item) => item.kind === 'group' && item.operator === '$or') &&
    !query.kept.some((parameter) => nameOf(parameter) === 'filters');
  const groupAt = (index: number, chip: FilterChip) => () => {
    setItem(index)({ kind: 'group', operator: '$or', chips: [chip] });
    beginFilter(chip.path, index);
  };
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
            focus={isDraft ? draft?.focus : undefined}
            onChange={isDraft ? changeDraft : setItem(i)}
            onRemove={remove}
            onOr={canGroup && !isDraft ? groupAt(i, item) : undefined}
          />
        ) : (
          <GroupEditor key={i} group={item} index={i} onChange={setItem(i)} onRemove={remove} />
        );
      })}
      <KeptParameters />
      {type && isList && (
        <button type="button" class="add" onClick={() => beginFilter([labelOf(type).name])}>
          + Filter
        </button>
      )}
      {children}
    </div>
  );
}
