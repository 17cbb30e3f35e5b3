import { useMemo } from 'preact/hooks';
import type { Fetched } from '../state/fetched.ts';
import type { View } from '../state/page-state.ts';
import { errorOf } from './api-error.ts';
import { JsonTree } from './json-tree.tsx';
import { RawView } from './raw.tsx';
import { TableView } from './table.tsx';
import { dataOf, tableOf } from './table-columns.ts';

/** A reply as the chosen view. */
export function ReplyView({ reply, view }: { readonly reply: Fetched; readonly view: View }) {
  const { value, text, status } = reply;
  const table = useMemo(() => (view === 'table' ? tableOf(value) : null), [value, view]);
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
      </div>
    );
  }
  const data = dataOf(value);
  if (Array.isArray(data) && data.length === 0) return <Nothing text="Nothing matches the query." />;
  return table ? (
    <TableView key={reply.address.split('?')[0]} table={table} />
  ) : (
    <JsonTree key={reply.address} value={value} />
  );
}

function Nothing({ text }: { readonly text: string }) {
  return <p class="nothing-found">{text}</p>;
}
