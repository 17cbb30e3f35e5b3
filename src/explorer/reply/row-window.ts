/** The rows of a long list that are in view. */

export interface RowWindow {
  /** The first row that is drawn, and the one after the last. */
  readonly first: number;
  readonly end: number;
  /** Where the first drawn row begins, in pixels from the top of the content. */
  readonly top: number;
  /** The height of the content. */
  readonly height: number;
}

/** Browsers cannot lay out higher content. Beyond it, one pixel of scrolling passes more than one pixel of rows. */
const maxHeight = 8_000_000;

/** Rows that are drawn above and below the view. */
const margin = 6;

/** Returns which rows to draw for a position of the scroll bar. All rows have the same height. */
export function rowWindow(count: number, rowHeight: number, scrollTop: number, viewHeight: number): RowWindow {
  const wanted = count * rowHeight;
  const height = Math.min(wanted, maxHeight);
  const range = Math.max(height - viewHeight, 1);
  const scroll = Math.min(Math.max(scrollTop, 0), range);
  // as a share of the way, so that the last row is reached at the end
  const offset = height === wanted ? scroll : (scroll / range) * (wanted - viewHeight);
  const first = Math.max(0, Math.min(Math.floor(offset / rowHeight), count) - margin);
  const end = Math.min(count, Math.ceil((offset + viewHeight) / rowHeight) + margin);
  return { first, end, top: scroll - (offset - first * rowHeight), height };
}

/** Returns where the scroll bar must be so that a row is in view, or null if it is. */
export function scrollTopFor(
  row: number,
  count: number,
  rowHeight: number,
  scrollTop: number,
  viewHeight: number,
): number | null {
  const wanted = count * rowHeight;
  const height = Math.min(wanted, maxHeight);
  const scale = height === wanted ? 1 : (wanted - viewHeight) / Math.max(height - viewHeight, 1);
  const offset = scrollTop * scale;
  if (row * rowHeight < offset) return (row * rowHeight) / scale;
  const needed = (row + 1) * rowHeight - viewHeight;
  return needed > offset ? needed / scale : null;
}
