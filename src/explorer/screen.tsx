import { PageBar } from './controls/page-bar.tsx';
import { shownPageOf } from './controls/pages.ts';
import { ScopeBar } from './controls/scope-bar.tsx';
import { SortBar } from './controls/sort-bar.tsx';
import { UrlLine } from './controls/url-line.tsx';
import { CopyPanel } from './copy/copy-panel.tsx';
import { facetsOf } from './facets/facet-counts.ts';
import { FacetPanel } from './facets/facet-panel.tsx';
import { FilterBar } from './filters/filter-bar.tsx';
import { explainAddress, explanationOf } from './plan/explanation.ts';
import { PlanDrawer } from './plan/plan-drawer.tsx';
import { ReplyView } from './reply/reply-view.tsx';
import { StatusLine } from './reply/status-line.tsx';
import { addressOf, useExplored } from './state/explored.ts';
import { type PageState, views } from './state/page-state.ts';
import { useFetched } from './state/use-fetched.ts';
import { AttributeTree } from './tree/attribute-tree.tsx';
import { TypeList } from './tree/type-list.tsx';

interface ScreenProps {
  readonly state: PageState;
  onChange(changes: Partial<PageState>): void;
}

/** The one screen: types and tree, the query, and the reply. */
export function Screen({ state, onChange }: ScreenProps) {
  const { schema, url, credentials, isList, route, query } = useExplored();
  const { view, showsPlan } = state;
  const fetched = useFetched(addressOf(schema, url), credentials);
  const isExplained = schema.explain && (showsPlan || schema.hasFullAccess);
  const explained = useFetched(isExplained ? explainAddress(schema, url) : null, credentials);
  const { reply, isLoading, failure } = fetched;
  const cost = explanationOf(explained.reply?.value)?.cost ?? null;
  const canCount = schema.hasFacets && route?.kind === 'page';
  return (
    <div class="screen">
      <Side />
      <main>
        <div class="query">
          <UrlLine />
          <CopyPanel />
          <FilterBar />
          <div class="bars-row">
            {isList && <SortBar />}
            <ScopeBar />
            {isList && <PageBar shown={shownPageOf(reply?.value)} />}
          </div>
        </div>
        <div class="reply-head">
          <StatusLine reply={reply} isLoading={isLoading} cost={cost} />
          <div class="views" role="group" aria-label="View">
            {views.map((name) => (
              <button type="button" key={name} aria-pressed={name === view} onClick={() => onChange({ view: name })}>
                {name}
              </button>
            ))}
            <button type="button" aria-pressed={showsPlan} onClick={() => onChange({ showsPlan: !showsPlan })}>
              plan
            </button>
          </div>
        </div>
        <div class={query.facets.length > 0 ? 'reply has-facets' : 'reply'} data-loading={isLoading}>
          {canCount && <FacetPanel counts={facetsOf(reply?.value)} />}
          {failure && (
            <p class="error" role="alert">
              The server cannot be reached: {failure}
            </p>
          )}
          {reply && <ReplyView reply={reply} view={view} />}
        </div>
        {showsPlan && <PlanDrawer explained={explained} onClose={() => onChange({ showsPlan: false })} />}
      </main>
    </div>
  );
}

/** The content types, and the tree of the one that is explored. */
function Side() {
  const { type, query, route } = useExplored();
  return (
    <nav class="side" aria-label="Content">
      <details open={matchMedia('(min-width: 50rem)').matches}>
        <summary>{type ? type.displayName : 'Content types'}</summary>
        <TypeList />
        {type && <h2>{type.displayName}</h2>}
        {type?.description && <p class="quiet">{type.description}</p>}
        {type && route?.reads !== 'nothing' && (
          <AttributeTree key={type.uid} place={{ at: [], type }} selection={query.selection} />
        )}
      </details>
    </nav>
  );
}
