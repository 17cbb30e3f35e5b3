import { AskedButton } from '../controls/asked-button.tsx';
import { MissingRight, Problem } from '../controls/problem.tsx';
import type { ContentList, Readiness, Status } from '../state/replies.ts';
import { addressOf, useSession } from '../state/session.ts';
import type { Polled } from '../state/use-polled.ts';
import { ContentCard } from './content-card.tsx';

interface ContentsSectionProps {
  readonly status: Status;
  readonly list: Polled<ContentList>;
  readonly readiness: Readiness | null;
}

/** The contents that are no previews, and the button that loads them again. */
export function ContentsSection({ status, list, readiness }: ContentsSectionProps) {
  const { rights } = useSession();
  const listed = (list.value?.contents ?? []).filter(({ base }) => base === undefined);
  // the status leaves out contents that could not be loaded, the list needs a right
  const names = new Set([...listed, ...status.contents].map(({ name }) => name));
  return (
    <section aria-labelledby="contents">
      <div class="section-head">
        <h2 id="contents">Contents</h2>
        {rights.includes('reload') && (
          <AskedButton
            label="Reload"
            question="Load the snapshots again? Changes that are neither in them nor in a journal are gone then."
            method="POST"
            address={addressOf('_reload')}
            done={reloadText}
          />
        )}
      </div>
      {!rights.includes('reload') && <MissingRight right="reload" to="load the snapshots again" />}
      {!rights.includes('contents') && <MissingRight right="contents" to="see sizes and ages" />}
      {list.error && <Problem error={list.error} />}
      <ul class="cards">
        {Array.from(names, (name) => (
          <ContentCard
            key={name}
            name={name}
            listed={listed.find((each) => each.name === name) ?? null}
            source={readiness?.sources?.find(({ content }) => content === name) ?? null}
            pinned={readiness?.pinned?.find(({ content }) => content === name) ?? null}
          />
        ))}
      </ul>
    </section>
  );
}

function reloadText(value: unknown): string {
  const { isNew, pinned } = value as { isNew: boolean; pinned?: string };
  if (!isNew) return 'The content has not changed.';
  return pinned === undefined ? 'The new content is served.' : `The new content is loaded, and ${pinned} stays pinned.`;
}
