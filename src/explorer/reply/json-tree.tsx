import { useMemo, useState } from 'preact/hooks';
import { Disclosure } from '../controls/icons.tsx';
import { Isolated } from '../controls/isolated.tsx';
import { Text } from './cell.tsx';
import { previewOf, summaryOf } from './summaries.ts';
import { dataOf } from './table-columns.ts';
import { type TreeRow, TreeRows } from './tree-rows.ts';
import { useRowWindow } from './use-row-window.ts';

const rowHeight = 26;

/** A reply that folds. Only the rows in view are in the document. */
export function JsonTree({ value }: { readonly value: unknown }) {
  const tree = useMemo(() => openedTree(value), [value]);
  const [, setChanges] = useState(0);
  const [chosen, setChosen] = useState(0);
  const active = Math.min(chosen, tree.length - 1);
  const { box, window, scrollTo } = useRowWindow(tree.length, rowHeight);
  const { first, end, top, height } = window;
  const moveTo = (row: number) => {
    const next = Math.min(Math.max(row, 0), tree.length - 1);
    setChosen(next);
    scrollTo(next);
  };
  const toggle = (row: number) => {
    tree.toggle(row);
    setChanges((count) => count + 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const { canOpen, isOpen, parent } = tree.row(active);
    const pageRows = Math.floor(box.current!.clientHeight / rowHeight);
    const keys: Record<string, () => void> = {
      ArrowDown: () => moveTo(active + 1),
      ArrowUp: () => moveTo(active - 1),
      PageDown: () => moveTo(active + pageRows),
      PageUp: () => moveTo(active - pageRows),
      Home: () => moveTo(0),
      End: () => moveTo(tree.length - 1),
      ArrowRight: () => (canOpen && !isOpen ? toggle(active) : moveTo(active + 1)),
      ArrowLeft: () => (isOpen ? toggle(active) : moveTo(parent)),
      Enter: () => canOpen && toggle(active),
      ' ': () => canOpen && toggle(active),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  };
  const shown = Array.from({ length: Math.max(0, Math.min(end, tree.length) - first) }, (_, i) => tree.row(first + i));

  return (
    <div
      class="reply-box json"
      ref={box}
      role="tree"
      tabIndex={0}
      aria-label="Reply as a tree"
      aria-activedescendant={active >= first && active < end ? `row-${active}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div class="canvas" role="none" style={{ height: `${height}px` }}>
        <div role="none" style={{ transform: `translateY(${top}px)` }}>
          {shown.map((row, i) => (
            <Row
              key={first + i}
              id={`row-${first + i}`}
              row={row}
              isActive={first + i === active}
              onClick={() => {
                setChosen(first + i);
                if (row.canOpen) toggle(first + i);
              }}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

/** The first entry is open, as an example of the others. */
function openedTree(value: unknown): TreeRows {
  const tree = new TreeRows(value);
  const open = (row: number) => {
    if (row < tree.length && tree.row(row).canOpen) tree.toggle(row);
  };
  open(0);
  const hasEnvelope = dataOf(value) !== value;
  if (hasEnvelope) open(1);
  if (Array.isArray(dataOf(value))) open(hasEnvelope ? 2 : 1);
  return tree;
}

interface RowProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly isActive: boolean;
  onClick(): void;
}

function Row({ id, row, isActive, onClick }: RowProps) {
  const { depth, key, canOpen, isOpen, position, siblings } = row;
  return (
    <div
      id={id}
      role="treeitem"
      class={isActive ? 'json-row active' : 'json-row'}
      aria-level={depth + 1}
      aria-setsize={siblings}
      aria-posinset={position}
      aria-expanded={canOpen ? isOpen : undefined}
      aria-selected={isActive}
      style={{ paddingInlineStart: `${depth * 18 + 6}px` }}
      onClick={onClick}
    >
      <span class="json-mark">{canOpen && <Disclosure isOpen={isOpen} />}</span>
      {key !== null && (
        <span class="json-key">
          <Isolated text={String(key)} />
        </span>
      )}
      <Value row={row} />
    </div>
  );
}

function Value({ row: { key, depth, value, canOpen, isOpen } }: { readonly row: TreeRow }) {
  if (typeof value === 'string') {
    const isLine = key === null && depth > 0;
    if (isOpen) return <span class="quiet">{value.length.toLocaleString('en')} characters</span>;
    return (
      <span class="string">
        {isLine || canOpen ? <Isolated text={isLine ? value : summaryOf(value, 300)} /> : <Text text={value} />}
      </span>
    );
  }
  if (value === null) return <span class="nothing">null</span>;
  if (typeof value !== 'object') return <span class={typeof value}>{String(value)}</span>;
  const count = Array.isArray(value) ? `${value.length} ${value.length === 1 ? 'item' : 'items'} ` : '';
  return (
    <span class="quiet">
      {depth === 0 ? 'reply ' : count}
      {!isOpen && <Isolated text={count === '' ? previewOf(value) : summaryOf(value)} />}
    </span>
  );
}
