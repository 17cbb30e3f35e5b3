import { useMemo } from 'preact/hooks';
import { isBeyond, shownPageOf } from '../controls/pages.ts';
import { useExplored } from '../state/explored.ts';
import type { Fetched } from '../state/fetched.ts';
import type { View } from '../state/page-state.ts';
import { linkNames } from '../state/schema-index.ts';
import { errorOf } from './api-error.ts';
import { JsonTree } from './json-tree.tsx';
import { RawView } from './raw.tsx';
import { TableView } from './table.tsx';
import { dataOf, tableOf } from './table-columns.ts';

/** A reply as the chosen view. */
export function ReplyView({ reply, view }: { readonly reply: Fetched; readonly view: View }) {
  const { value, text, status } = reply;
  const { type } = useExplored();
  const links = useMemo(() => (type ? linkNames(type) : []), [type]);
  const table = useMemo(() => (view === 'table' ? tableOf(value, links) : null), [value, view, links]);
  const error = errorOf(status, value);
  if (view === 'raw' || value === undefined)
    return text === '' ? <Nothing text="The reply has no body." /> : <RawView key={reply.address} text={text} />;
  if (view === 'tree') return <JsonTree key={reply.address} value={value} />;
  if (error) {
    return (
      <div class="error" role="alert">
        <h2>
          {error.status} {error.name}
        </h2>
        <p>{error.message}</p>
        {error.place.length > 0 && (
          <p>
            At <code>{error.place.join(' › ')}</code>
            {error.value !== null && (
              <>
                {' '}
                with the value <code>{error.value}</code>
              </>
            )}
          </p>
        )}
        {(status === 401 || status === 403) && (
          <p class="quiet">Another token or role may have the right to read this.</p>
        )}
      </div>
    );
  }
  const data = dataOf(value);
  if (Array.isArray(data) && data.length === 0) {
    const page = shownPageOf(value);
    return (
      <Nothing text={page && isBeyond(page) ? 'The page is beyond the last one.' : 'Nothing matches the query.'} />
    );
  }
  return table ? (
    <TableView key={reply.address.split('?')[0]} table={table} />
  ) : (
    <JsonTree key={reply.address} value={value} />
  );
}

function Nothing({ text }: { readonly text: string }) {
  return <p class="nothing-found">{text}</p>;
}
