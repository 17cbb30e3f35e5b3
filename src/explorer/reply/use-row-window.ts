import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type RowWindow, rowWindow, scrollTopFor } from './row-window.ts';

interface UsedWindow {
  /** The element that scrolls. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly window: RowWindow;
  /** From where to where the view reaches across, in pixels. */
  readonly left: number;
  readonly right: number;
  scrollTo(row: number): void;
}

/** Follows the scroll position and the size of a box with rows of one height. `headHeight` is that of a sticky head. */
export function useRowWindow(count: number, rowHeight: number, headHeight = 0): UsedWindow {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, height: 600, width: 1000 });
  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => {
      const { scrollTop: top, scrollLeft: left, clientHeight, clientWidth: width } = element;
      setView({ top, left, height: clientHeight - headHeight, width });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [headHeight]);
  const scrollTo = (row: number) => {
    const element = box.current!;
    const top = scrollTopFor(row, count, rowHeight, element.scrollTop, element.clientHeight - headHeight);
    if (top !== null) element.scrollTop = top;
  };
  const { top, left, height, width } = view;
  return { box, window: rowWindow(count, rowHeight, top, height), left, right: left + width, scrollTo };
}
