import { useEffect, useState } from 'preact/hooks';
import { type PageState, printPageState, readPageState } from './page-state.ts';

/** `push` makes an entry of the history, to which Back leads. `replace` changes the present one. */
export type HistoryMode = 'push' | 'replace';

/** Keeps the state of the page in its address. */
export function usePageState(): [PageState, (changes: Partial<PageState>, mode?: HistoryMode) => void] {
  const [state, setState] = useState(readLocation);
  useEffect(() => {
    const read = () => setState(readLocation());
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, []);
  const change = (changes: Partial<PageState>, mode: HistoryMode = 'push') => {
    const next = { ...readLocation(), ...changes };
    const address = location.pathname + printPageState(next);
    if (mode === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    setState(readLocation());
  };
  return [state, change];
}

function readLocation(): PageState {
  return readPageState(location.search, location.hash);
}
