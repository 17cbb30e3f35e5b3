import { Isolated } from '../../explorer/controls/isolated.tsx';
import { visibleText } from '../../explorer/controls/visible-text.ts';
import { targetOf, variantOf } from '../state/differences.ts';
import type { SentChange } from '../state/replies.ts';
import { shortType } from './difference-list.tsx';

/** Maximum characters of a change that the page shows. */
const maxLength = 20_000;

/** The changes of a preview as they were sent, in their order. */
export function SentChanges({ lists }: { readonly lists: readonly (readonly SentChange[])[] }) {
  const changes = lists.flat();
  if (changes.length === 0) return <p class="nothing">The preview has no changes.</p>;
  return (
    <ol class="documents">
      {changes.map((change, i) => {
        const target = targetOf(change);
        const json = JSON.stringify(change, null, 2);
        return (
          <li key={i}>
            <details>
              <summary>
                {target.operation} <Isolated text={target.documentId ?? ''} />{' '}
                <span class="quiet">
                  {[shortType(target.type), variantOf(target)].filter((part) => part !== '').join(', ')}
                </span>
              </summary>
              <pre>{visibleText(json.length > maxLength ? `${json.slice(0, maxLength)}…` : json)}</pre>
            </details>
          </li>
        );
      })}
    </ol>
  );
}
