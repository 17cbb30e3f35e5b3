import { useState } from 'preact/hooks';
import { MissingRight } from '../controls/problem.tsx';
import type { ContentList } from '../state/replies.ts';
import { readsPreviews, useSession } from '../state/session.ts';
import type { Polled } from '../state/use-polled.ts';
import { PreviewCard } from './preview-card.tsx';

/** The previews. An error of their list is shown with the contents. */
export function PreviewsSection({ list }: { readonly list: Polled<ContentList> }) {
  const { rights } = useSession();
  const [deleted, setDeleted] = useState('');
  const previews = (list.value?.contents ?? []).filter(({ base }) => base !== undefined);
  const remember = (name: string) => {
    setDeleted(`The preview “${name}” is deleted.`);
    // its card goes, and the focus with it
    document.getElementById('previews')?.focus();
  };
  return (
    <section aria-labelledby="previews">
      <div class="section-head">
        <h2 id="previews" tabIndex={-1}>
          Previews
        </h2>
        <p class="done" role="status">
          {deleted}
        </p>
      </div>
      {!readsPreviews(rights) && <MissingRight right="previews" to="see previews" />}
      {list.value && previews.length === 0 && <p class="nothing">There are none.</p>}
      <ul class="cards">
        {previews.map((preview) => (
          <PreviewCard key={preview.name} preview={preview} onDeleted={() => remember(preview.name)} />
        ))}
      </ul>
    </section>
  );
}
