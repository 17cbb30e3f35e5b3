import { useState } from 'preact/hooks';
import { CopyPanel } from '../copy/copy-panel.tsx';
import { AddFacet } from '../facets/facet-panel.tsx';
import { FilterBar } from '../filters/filter-bar.tsx';
import { addressOf, useExplored } from '../state/explored.ts';
import { ScopeBar } from './scope-bar.tsx';
import { SortBar } from './sort-bar.tsx';
import { UrlLine } from './url-line.tsx';

/** The URL, and the controls for its parameters. */
export function QueryBars() {
  const { schema, url, isList, query, credentials } = useExplored();
  const [isCopying, setIsCopying] = useState(false);
  return (
    <div class="query">
      <div class="url-bar">
        <UrlLine />
        <button type="button" aria-expanded={isCopying} onClick={() => setIsCopying(!isCopying)}>
          Copy as…
        </button>
        {credentials.token === '' && (
          <a class="open" href={addressOf(schema, url)} target="_blank" rel="noreferrer">
            JSON<span aria-hidden="true">↗</span>
          </a>
        )}
      </div>
      {isCopying && <CopyPanel />}
      {(isList || query.filters.length > 0 || query.kept.length > 0) && (
        <FilterBar>
          <AddFacet />
        </FilterBar>
      )}
      <div class="bars-row">
        {isList && <SortBar />}
        <ScopeBar />
      </div>
    </div>
  );
}
