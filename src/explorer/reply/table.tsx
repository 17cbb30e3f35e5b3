import { FilterIcon } from '../controls/icons.tsx';
import { completePath, stepsOf } from '../filters/chip-paths.ts';
import { withSort } from '../query/edit.ts';
import { useExplored } from '../state/explored.ts';
import { isOrdered } from '../state/schema-index.ts';
import { Cell } from './cell.tsx';
import type { Table } from './table-columns.ts';
import { useRowWindow } from './use-row-window.ts';

const rowHeight = 36;

/** The entries of a reply as rows. Only the rows in view are in the document. */
export function TableView({ table: { rows, columns } }: { readonly table: Table }) {
  const { box, window } = useRowWindow(rows.length, rowHeight, rowHeight);
  const { first, end, top, height } = window;
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  return (
    <section class="reply-box" ref={box} tabIndex={0} aria-label="Reply as a table">
      <table style={{ width: `${width}px` }} aria-rowcount={rows.length + 1}>
        <colgroup>
          {columns.map((column) => (
            <col key={column.name} style={{ width: `${column.width}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, isNumeric }) => (
              <HeadCell key={name} name={name} isNumeric={isNumeric} />
            ))}
          </tr>
        </thead>
        <tbody>
          {top > 0 && <tr class="space" aria-hidden="true" style={{ height: `${top}px` }} />}
          {rows.slice(first, end).map((row, i) => (
            <tr key={first + i} aria-rowindex={first + i + 2}>
              {columns.map(({ name, isNumeric }) => (
                <td key={name} class={isNumeric ? 'number' : undefined}>
                  {name === 'documentId' ? <DocumentLink id={row[name]} /> : <Cell value={row[name]} />}
                </td>
              ))}
            </tr>
          ))}
          <tr class="space" aria-hidden="true" style={{ height: `${height - top - (end - first) * rowHeight}px` }} />
        </tbody>
      </table>
    </section>
  );
}

/** The name of a column, which sorts by it, and a button that filters by it. */
function HeadCell({ name, isNumeric }: { readonly name: string; readonly isNumeric: boolean }) {
  const { schema, type, isList, query, edit, beginFilter } = useExplored();
  const steps = type && isList ? stepsOf(schema, type, [name]) : null;
  const path = type && isList ? completePath(schema, type, [name]) : null;
  const { sort } = query;
  const position = sort.findIndex((item) => item.path === name);
  const item = sort[position];
  // ascending, descending, not at all; with Shift beside the other keys
  const turn = (event: MouseEvent) => {
    const others = event.shiftKey ? sort.filter((each) => each !== item) : [];
    const next = !item
      ? [{ path: name, descending: false }]
      : item.descending
        ? []
        : [{ path: name, descending: true }];
    edit((before) => withSort(before, [...others, ...next]));
  };
  const order = !item ? 'none' : item.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" class={isNumeric ? 'number' : undefined} aria-sort={order}>
      <span class="head">
        {steps && isOrdered(steps[0].attribute) ? (
          <button
            type="button"
            class="head-name"
            title={`Sort by ${name}; with Shift beside other keys`}
            onClick={turn}
          >
            {name}
            {item && <span aria-hidden="true">{item.descending ? ' ↓' : ' ↑'}</span>}
          </button>
        ) : (
          <span class="head-name">{name}</span>
        )}
        {path && (
          <button
            type="button"
            class="icon"
            aria-label={`Filter by ${path.join('.')}`}
            title={`Filter by ${path.join('.')}`}
            onClick={() => beginFilter(path)}
          >
            <FilterIcon />
          </button>
        )}
      </span>
    </th>
  );
}

/** The id of a document, which opens the document alone. */
function DocumentLink({ id }: { readonly id: unknown }) {
  const { schema, route, open } = useExplored();
  const document = schema.routes.find(({ uid, kind }) => uid === route?.uid && kind === 'document');
  if (typeof id !== 'string' || !document || route?.kind !== 'page') return <Cell value={id} />;
  return (
    <button type="button" class="text" onClick={() => open(`${route.path}/${encodeURIComponent(id)}`)}>
      <bdi>{id}</bdi>
    </button>
  );
}
