import { Isolated } from '../../explorer/controls/isolated.tsx';
import { type Side, sidesOf } from '../state/conflicts.ts';
import { valueText, variantOf } from '../state/differences.ts';
import type { Conflict } from '../state/replies.ts';
import { shortType } from './difference-list.tsx';

interface ConflictListProps {
  readonly conflicts: readonly Conflict[];
  /** Which side counts, by conflict. */
  readonly sides: readonly Side[];
  onChoose(index: number, side: Side): void;
}

const labels = { base: 'take the base', preview: 'keep the preview' };

/** What both a preview and its base have changed, with the choice between them. */
export function ConflictList({ conflicts, sides, onChoose }: ConflictListProps) {
  if (conflicts.length === 0) return null;
  return (
    <ul class="documents">
      {conflicts.map((conflict, i) => {
        const { type, documentId, attribute, kind, message, base, preview } = conflict;
        return (
          <li key={i}>
            <p>
              <Isolated text={documentId ?? ''} />{' '}
              <span class="quiet">
                {shortType(type)} {variantOf(conflict)}
              </span>{' '}
              {attribute !== null && (
                <code>
                  <Isolated text={attribute} />
                </code>
              )}
            </p>
            {kind === 'changed' ? (
              <p>
                base <Isolated text={valueText(base)} />, preview <Isolated text={valueText(preview)} />
              </p>
            ) : (
              <p>
                <Isolated text={message} />
              </p>
            )}
            <select
              aria-label={`What counts for ${documentId} ${attribute ?? ''}`}
              value={sides[i]}
              onChange={({ currentTarget: { value } }) => onChoose(i, value as Side)}
            >
              {sidesOf(conflict).map((side) => (
                <option key={side} value={side}>
                  {labels[side]}
                </option>
              ))}
            </select>
          </li>
        );
      })}
    </ul>
  );
}
