import { choicesOf, stepsOf } from '../paths/attribute-paths.ts';
import { PathSelects } from '../paths/path-selects.tsx';
import { withSort } from '../query/edit.ts';
import type { SortItem } from '../query/explored-query.ts';
import { useExplored } from '../state/explored.ts';
import { isLink, isOrdered } from '../state/schema-index.ts';
import { RemoveButton } from './remove-button.tsx';

/** The keys that sort the list. */
export function SortBar() {
  const { schema, type, query, edit } = useExplored();
  const { sort } = query;
  if (!type) return null;
  const setSort = (next: readonly SortItem[]) => edit((before) => withSort(before, next));
  const isFree = (name: string) => !sort.some(({ path }) => path === name);
  const orderable = choicesOf(type).filter((each) => !isLink(each) && isOrdered(each) && isFree(each.name));
  const next = orderable.find(({ type: scalar }) => scalar === 'string' || scalar === 'date') ?? orderable[0];
  return (
    <div class="bar">
      <span class="bar-name">Sort</span>
      {sort.map((item, i) => {
        const { path, descending } = item;
        const steps = stepsOf(schema, type, path.split('.'));
        return (
          <span class="chip" role="group" aria-label={`Sort by ${path}`} key={i}>
            {steps ? (
              <PathSelects
                label="Sort by"
                steps={steps}
                allows={isOrdered}
                onChange={(changed) => setSort(sort.with(i, { ...item, path: changed.join('.') }))}
              />
            ) : (
              <code>{path}</code>
            )}
            <button
              type="button"
              aria-label={`${descending ? '↓ desc' : '↑ asc'}: turn the order by ${path} round`}
              onClick={() => setSort(sort.with(i, { ...item, descending: !descending }))}
            >
              {descending ? '↓ desc' : '↑ asc'}
            </button>
            <RemoveButton label={`Do not sort by ${path}`} onClick={() => setSort(sort.toSpliced(i, 1))} />
          </span>
        );
      })}
      {next && (
        <button type="button" class="add" onClick={() => setSort([...sort, { path: next.name, descending: false }])}>
          + Sort
        </button>
      )}
    </div>
  );
}
