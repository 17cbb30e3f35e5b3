import type { ComponentChildren } from 'preact';
import { shownPageOf } from '../controls/pages.ts';
import type { Fetched } from '../state/fetched.ts';
import { bytesText, millisecondsText } from './amounts.ts';
import { dataOf } from './table-columns.ts';

interface StatusLineProps {
  readonly reply: Fetched | null;
  readonly isLoading: boolean;
  /** The cost of the query, in units of about a nanosecond. Null if it is not known. */
  readonly cost: { readonly total: number; readonly limit: number } | null;
}

/** What a reply holds and what it took, in one line. */
export function StatusLine({ reply, isLoading, cost }: StatusLineProps) {
  const data = dataOf(reply?.value);
  const total = shownPageOf(reply?.value)?.total ?? (Array.isArray(data) ? data.length : null);
  return (
    <div role="status" aria-busy={isLoading}>
      <dl class="status-line">
        {reply && (
          <>
            {reply.status >= 400 && <Amount name="status">{reply.status}</Amount>}
            {total !== null && reply.status < 400 && <Amount name="total">{total.toLocaleString('en')}</Amount>}
            <Amount name="size">{bytesText(reply.bytes)}</Amount>
            <Amount name="time">{millisecondsText(reply.milliseconds)}</Amount>
            {cost && (
              <Amount name="cost" title={`The limit is ${cost.limit.toLocaleString('en')}`}>
                {cost.total.toLocaleString('en')}
              </Amount>
            )}
          </>
        )}
      </dl>
    </div>
  );
}

interface AmountProps {
  readonly name: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

function Amount({ name, title, children }: AmountProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
