import { useState } from 'preact/hooks';
import { visibleText } from '../../explorer/controls/visible-text.ts';
import { countText } from '../../explorer/reply/amounts.ts';
import { Problem } from '../controls/problem.tsx';
import { changedDocuments, sentDocuments } from '../state/differences.ts';
import type { PreviewChanges } from '../state/replies.ts';
import { addressOf, useSession } from '../state/session.ts';
import { usePolled } from '../state/use-polled.ts';
import { DifferenceList } from './difference-list.tsx';
import { PreviewActions } from './preview-actions.tsx';
import { SentChanges } from './sent-changes.tsx';

/** Changes, and entries that differ, which are shown at a time. */
const limit = 100;

/** What a preview changes, and what can be done with it. */
export function PreviewPanel({ name }: { readonly name: string }) {
  const session = useSession();
  const [offset, setOffset] = useState(0);
  const [view, setView] = useState<'differences' | 'changes'>('differences');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const address = addressOf('_contents', name, 'changes');
  const { value, error } = usePolled<PreviewChanges>(`${address}?limit=${limit}&offset=${offset}`, session);
  if (!value) return error ? <Problem error={error} /> : <p class="quiet">Loading…</p>;
  const { fit, differences, lists, changeCount, entryCount, base } = value;
  const documents = changedDocuments(differences?.entries ?? []);
  const sent = sentDocuments(lists.flat());
  // the server knows the documents that are not on this page
  const isWhole = Math.max(changeCount, entryCount) <= limit;
  const choosable = new Set(
    documents.flatMap(({ key, documentId }) => (documentId !== null && (!isWhole || sent.has(key)) ? [key] : [])),
  );
  const choose = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  return (
    <div class="panel">
      {error && <Problem error={error} />}
      {!fit.fits && (
        <div class="problem">
          <p>The changes do not fit “{base}”:</p>
          <ul>
            {fit.problems.map((problem) => (
              <li key={problem}>{visibleText(problem)}</li>
            ))}
          </ul>
        </div>
      )}
      <div class="bar">
        <div class="views" role="group" aria-label="View">
          <button type="button" aria-pressed={view === 'differences'} onClick={() => setView('differences')}>
            {countText(entryCount)} {entryCount === 1 ? 'difference' : 'differences'}
          </button>
          <button type="button" aria-pressed={view === 'changes'} onClick={() => setView('changes')}>
            {countText(changeCount)} {changeCount === 1 ? 'change' : 'changes'} as sent
          </button>
        </div>
        <Turns total={Math.max(entryCount, changeCount)} offset={offset} onTurn={setOffset} />
      </div>
      {view === 'changes' && <SentChanges lists={lists} />}
      {view === 'differences' && differences && (
        <DifferenceList
          differences={differences}
          documents={documents}
          choosable={choosable}
          chosen={chosen}
          onChoose={choose}
        />
      )}
      <PreviewActions
        name={name}
        changes={value}
        chosen={[...chosen].filter((key) => !isWhole || choosable.has(key))}
        onApplied={() => setChosen(new Set())}
      />
    </div>
  );
}

interface TurnsProps {
  readonly total: number;
  readonly offset: number;
  onTurn(offset: number): void;
}

/** Previous and next part of a long list. */
function Turns({ total, offset, onTurn }: TurnsProps) {
  if (total <= limit) return null;
  const last = Math.min(offset + limit, total);
  return (
    <div class="bar">
      <button type="button" aria-label="Previous" disabled={offset === 0} onClick={() => onTurn(offset - limit)}>
        ←
      </button>
      <span class="number">
        {countText(offset + 1)}–{countText(last)}
      </span>
      <button type="button" aria-label="Next" disabled={last === total} onClick={() => onTurn(offset + limit)}>
        →
      </button>
    </div>
  );
}
