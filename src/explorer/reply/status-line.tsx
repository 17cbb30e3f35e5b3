import type { ComponentChildren } from 'preact';
import { shownPageOf } from '../controls/pages.ts';
import type { Explanation, Stage } from '../plan/explanation.ts';
import type { Fetched } from '../state/fetched.ts';
import { bytesText, millisecondsText } from './amounts.ts';
import { dataOf } from './table-columns.ts';

interface StatusLineProps {
  readonly reply: Fetched | null;
  readonly isLoading: boolean;
  /** How the server answers the query, as far as it says so. Costs are in units of about a nanosecond. */
  readonly explanation: Explanation | null;
}

/** What a reply holds and what it took, in one line. */
export function StatusLine({ reply, isLoading, explanation }: StatusLineProps) {
  const { stages = null, cost = null } = explanation ?? {};
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
            <Amount name="time" title={stages ? `${serverTime(stages)} of it on the server` : undefined}>
              {millisecondsText(reply.milliseconds)}
            </Amount>
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

function serverTime(stages: readonly Stage[]): string {
  return millisecondsText(stages.reduce((sum, { microseconds }) => sum + microseconds, 0) / 1000);
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
