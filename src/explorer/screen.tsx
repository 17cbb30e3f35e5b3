import { useMemo } from 'preact/hooks';
import { PageBar } from './controls/page-bar.tsx';
import { shownPageOf } from './controls/pages.ts';
import { QueryBars } from './controls/query-bars.tsx';
import { FacetPanel } from './facets/facet-panel.tsx';
import { facetsOf } from './filters/value-counts.ts';
import { explainAddress, explanationOf } from './plan/explanation.ts';
import { PlanDrawer } from './plan/plan-drawer.tsx';
import { ReplyView } from './reply/reply-view.tsx';
import { StatusLine } from './reply/status-line.tsx';
import { Side } from './side.tsx';
import { addressOf, useExplored } from './state/explored.ts';
import { type PageState, views } from './state/page-state.ts';
import { useFetched } from './state/use-fetched.ts';
import { useLasting } from './state/use-lasting.ts';

/** Milliseconds after which the reply before is dimmed. Sooner, the page would be drawn twice more for most replies. */
const dimAfter = 300;

interface ScreenProps {
  readonly state: PageState;
  onChange(changes: Partial<PageState>): void;
}

/** The one screen: types and tree, the query, and the reply. */
export function Screen({ state, onChange }: ScreenProps) {
  const { schema, url, credentials, query, isList, repeats } = useExplored();
  const { view, showsPlan } = state;
  const { reply, isLoading, failure } = useFetched(addressOf(schema, url), credentials, repeats);
  const isExplained = schema.explain && (showsPlan || schema.hasFullAccess);
  const explained = useFetched(isExplained ? explainAddress(schema, url) : null, credentials, repeats);
  const isDimmed = useLasting(isLoading, dimAfter);
  const hasFacets = query.facets.length > 0;
  // what is equal is not rendered again
  const side = useMemo(() => <Side />, []);
  const isFirstVisit = state.target === '';
  const bars = useMemo(() => <QueryBars isFirstVisit={isFirstVisit} />, [isFirstVisit]);
  const shown = useMemo(() => reply && <ReplyView reply={reply} view={view} />, [reply, view]);
  return (
    <div class="screen">
      {side}
      <main>
        {bars}
        <div class="reply-head">
          <StatusLine reply={reply} isLoading={isLoading} explanation={explanationOf(explained.reply?.value)} />
          {isList && <PageBar shown={shownPageOf(reply?.value)} />}
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
        <div class={hasFacets ? 'reply has-facets' : 'reply'} data-dimmed={isDimmed}>
          {hasFacets && <FacetPanel counts={facetsOf(reply?.value)} />}
          {failure && (
            <p class="error" role="alert">
              The server cannot be reached: {failure}
            </p>
          )}
          {shown}
        </div>
        {showsPlan && <PlanDrawer explained={explained} onClose={() => onChange({ showsPlan: false })} />}
      </main>
    </div>
  );
}
