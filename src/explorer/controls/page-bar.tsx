import { withPage } from '../query/edit.ts';
import { useExplored } from '../state/explored.ts';
import { resizedPage, type ShownPage, turnedPage } from './pages.ts';

const usualSizes = ['10', '25', '50', '100'];

/** Previous and next page, and the size of pages. */
export function PageBar({ shown }: { readonly shown: ShownPage | null }) {
  const { query, edit } = useExplored();
  const { page } = query;
  if (!shown || shown.size === 0) return null;
  const { start, size, total } = shown;
  const turn = (step: number) => () => edit((before) => withPage(before, turnedPage(page, shown, step)));
  const end = start + size;
  const sizes = usualSizes.includes(String(size)) ? usualSizes : [String(size), ...usualSizes];
  const last = total === null ? end : Math.min(end, total);
  return (
    <div class="bar">
      <button type="button" aria-label="Previous page" disabled={start === 0} onClick={turn(-1)}>
        ←
      </button>
      <span class="number">
        {total === 0 ? '0' : `${(start + 1).toLocaleString('en')}–${last.toLocaleString('en')}`}
        {total !== null && ` of ${total.toLocaleString('en')}`}
      </span>
      <button type="button" aria-label="Next page" disabled={total !== null && end >= total} onClick={turn(1)}>
        →
      </button>
      <label>
        <span class="bar-name">per page</span>
        <select
          value={String(size)}
          onChange={({ currentTarget: { value } }) => edit((before) => withPage(before, resizedPage(page, value)))}
        >
          {sizes.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
