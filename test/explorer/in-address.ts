import { printPageState, readPageState, urlBelowPrefix } from '../../src/explorer/state/page-state.ts';

/** Returns what the page reads of a URL below the prefix after its address held it: addresses encode a few characters. */
export function readFromAddress(url: string): string {
  const state = { target: `/api/${url}`, view: 'table', showsPlan: false } as const;
  const { search, hash } = new URL(printPageState(state), 'http://localhost/_explorer');
  return urlBelowPrefix(readPageState(search, hash).target, '', '/api');
}
