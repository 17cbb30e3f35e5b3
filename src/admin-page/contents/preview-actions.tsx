import { useState } from 'preact/hooks';
import { countText } from '../../explorer/reply/amounts.ts';
import type { ApiError } from '../../explorer/reply/api-error.ts';
import { AskedButton } from '../controls/asked-button.tsx';
import { MissingRight, Problem } from '../controls/problem.tsx';
import { conflictsOf, lacksJournal, resolutionOf, type Side } from '../state/conflicts.ts';
import { documentOf } from '../state/differences.ts';
import type { PreviewChanges } from '../state/replies.ts';
import { addressOf, useSession } from '../state/session.ts';
import { ConflictList } from './conflict-list.tsx';

interface PreviewActionsProps {
  readonly name: string;
  readonly changes: PreviewChanges;
  /** Keys of the documents to apply. Empty: all. */
  readonly chosen: readonly string[];
  onApplied(): void;
}

/** Takes the changes of a preview over to its base, and the changes of the base over to the preview. */
export function PreviewActions({ name, changes, chosen, onApplied }: PreviewActionsProps) {
  const { rights } = useSession();
  const { base, baseVersion, changeCount, fit } = changes;
  const [refused, setRefused] = useState<ApiError | null>(null);
  const [sides, setSides] = useState<readonly Side[]>([]);
  const [withoutJournal, setWithoutJournal] = useState(false);
  if (!rights.includes('changes')) return <MissingRight right="changes" to="apply and rebase previews" />;
  const conflicts = refused ? conflictsOf(refused) : [];
  const refuse = (error: ApiError) => {
    const found = conflictsOf(error);
    if (found.length === 0 && !lacksJournal(error)) return false;
    setRefused(error);
    if (lacksJournal(error)) setWithoutJournal(true);
    setSides(found.map(() => 'base'));
    return true;
  };
  const what = chosen.length === 0 ? 'all changes' : `the changes of ${chosen.length} chosen`;
  return (
    <div class="actions">
      {refused && <Problem error={refused} />}
      {refused && (
        <p>{conflicts.length > 0 ? 'Choose what counts, and rebase.' : 'To apply it all the same, apply again.'}</p>
      )}
      <ConflictList
        conflicts={conflicts}
        sides={sides}
        onChoose={(i, side) => setSides(sides.map((each, j) => (j === i ? side : each)))}
      />
      <div class="bar">
        <AskedButton
          label={chosen.length === 0 ? 'Apply all' : `Apply ${chosen.length} chosen`}
          of={name}
          question={
            <>
              Apply {what} to “{base}”, for everybody to see?
              {withoutJournal && ' The content keeps no journal: a restart forgets the changes.'}
            </>
          }
          isDisabled={changeCount === 0 || !fit.fits || conflicts.length > 0}
          method="POST"
          address={addressOf('_contents', name, 'apply')}
          body={{
            ...(chosen.length > 0 && { documents: chosen.map(documentOf) }),
            ...(baseVersion !== null && { previous: baseVersion }),
            ...(withoutJournal && { withoutJournal }),
          }}
          done={(value) => {
            setRefused(null);
            onApplied();
            return appliedText(value as Applied);
          }}
          onError={refuse}
        />
        <AskedButton
          label={conflicts.length > 0 ? 'Rebase with these choices' : 'Rebase'}
          of={name}
          question={`Put the changes of “${name}” on what “${base}” serves now?`}
          isDisabled={changeCount === 0}
          method="POST"
          address={addressOf('_contents', name, 'rebase')}
          body={{
            ...(conflicts.length > 0 && { resolve: conflicts.map((conflict, i) => resolutionOf(conflict, sides[i])) }),
            ...(baseVersion !== null && { previous: baseVersion }),
          }}
          done={(value) => {
            setRefused(null);
            return rebasedText(value as Rebased);
          }}
          onError={refuse}
        />
      </div>
    </div>
  );
}

interface Applied {
  readonly version: string;
  readonly applied: number;
  readonly left: number;
  readonly pinned?: string;
}

function appliedText({ version, applied, left, pinned }: Applied): string {
  const changes = applied === 1 ? 'change is' : 'changes are';
  const served = pinned === undefined ? '' : `, and ${pinned} stays pinned`;
  return `${countText(applied)} ${changes} applied as ${version}, ${countText(left)} left${served}.`;
}

interface Rebased {
  readonly changes: number;
  readonly taken: { readonly base: number; readonly preview: number };
}

function rebasedText({ changes, taken }: Rebased): string {
  const conflicts = taken.base + taken.preview;
  const resolved = conflicts === 0 ? '' : ` ${countText(taken.base)} from the base, ${countText(taken.preview)} kept.`;
  return `Rebased, with ${countText(changes)} ${changes === 1 ? 'change' : 'changes'}.${resolved}`;
}
