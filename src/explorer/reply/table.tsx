import { useMemo } from 'preact/hooks';
import { FilterIcon } from '../controls/icons.tsx';
import { Isolated } from '../controls/isolated.tsx';
import { completePath, stepsOf } from '../paths/attribute-paths.ts';
import { withSort } from '../query/edit.ts';
import { useExplored } from '../state/explored.ts';
import { isOrdered } from '../state/schema-index.ts';
import { Cell } from './cell.tsx';
import { type Column, columnsBetween, type Table } from './table-columns.ts';
import { useRowWindow } from './use-row-window.ts';

const rowHeight = 36;

/** The entries of a reply as rows. Only the rows and columns in view are in the document, and the head. */
export function TableView({ table: { rows, columns } }: { readonly table: Table }) {
  const { box, window, left, right } = useRowWindow(rows.length, rowHeight, rowHeight);
  const { first, end, top, height } = window;
  const [firstColumn, endColumn] = columnsBetween(columns, left, right);
  const head = useMemo(() => <Head columns={columns} />, [columns]);
  const width = columns.reduce((sum, column) => sum + column.width, 0);
  return (
    <section class="reply-box" ref={box} tabIndex={0} aria-label="Reply as a table">
      <table style={{ width: `${width}px` }} aria-rowcount={rows.length + 1} aria-colcount={columns.length}>
        {head}
        <tbody>
          {top > 0 && <tr class="space" aria-hidden="true" style={{ height: `${top}px` }} />}
          {rows.slice(first, end).map((row, i) => (
            <tr key={first + i} aria-rowindex={first + i + 2}>
              {firstColumn > 0 && <td aria-hidden="true" colSpan={firstColumn} />}
              {columns.slice(firstColumn, endColumn).map(({ name, isNumeric }, j) => (
                <td key={name} class={isNumeric ? 'number' : undefined} aria-colindex={firstColumn + j + 1}>
                  {name === 'documentId' ? <DocumentLink id={row[name]} /> : <Cell value={row[name]} />}
                </td>
              ))}
              {endColumn < columns.length && <td aria-hidden="true" colSpan={columns.length - endColumn} />}
            </tr>
          ))}
          <tr class="space" aria-hidden="true" style={{ height: `${height - top - (end - first) * rowHeight}px` }} />
        </tbody>
      </table>
    </section>
  );
}

function Head({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <>
      <colgroup>
        {columns.map(({ name, width }) => (
          <col key={name} style={{ width: `${width}px` }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(({ name, isNumeric }, i) => (
            <HeadCell key={name} name={name} position={i + 1} isNumeric={isNumeric} />
          ))}
        </tr>
      </thead>
    </>
  );
}

interface HeadCellProps {
  readonly name: string;
  /** From 1. */
  readonly position: number;
  readonly isNumeric: boolean;
}

/** The name of a column, which sorts by it, and a button that filters by it. */
function HeadCell({ name, position: column, isNumeric }: HeadCellProps) {
  const { schema, type, isList, query, edit, beginFilter } = useExplored();
  const steps = type && isList ? stepsOf(schema, type, [name]) : null;
  const path = type && isList ? completePath(schema, type, [name]) : null;
  const { sort } = query;
  const item = sort.find(({ path: key }) => key === name);
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
    <th scope="col" class={isNumeric ? 'number' : undefined} aria-colindex={column} aria-sort={order}>
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
      <Isolated text={id} />
    </button>
  );
}
