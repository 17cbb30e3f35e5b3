import { useEffect, useState } from 'preact/hooks';
import { type PageState, printPageState, readPageState } from './page-state.ts';

/** `push` makes an entry of the history, to which Back leads. `replace` changes the present one. */
export type HistoryMode = 'push' | 'replace';

/** Changes the state, of which another event may have made a newer one than the page shows. */
export type ChangeState = (change: (before: PageState) => Partial<PageState>, mode?: HistoryMode) => void;

/** Keeps the state of the page in its address. */
export function usePageState(): [PageState, ChangeState] {
  const [state, setState] = useState(readLocation);
  useEffect(() => {
    const read = () => setState(readLocation());
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, []);
  const change: ChangeState = (changesOf, mode = 'push') => {
    const before = readLocation();
    const address = printPageState({ ...before, ...changesOf(before) });
    if (address === printPageState(before)) return;
    if (mode === 'push') history.pushState(null, '', location.pathname + address);
    else history.replaceState(null, '', location.pathname + address);
    setState(readLocation());
  };
  return [state, change];
}

function readLocation(): PageState {
  return readPageState(location.search, location.hash);
}
