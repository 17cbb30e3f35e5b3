import { useEffect, useRef, useState } from 'preact/hooks';
import { type Credentials, type Fetched, fetchReply } from './fetched.ts';

/** The latest reply. While another one is awaited, it is that of the address before. */
export interface FetchState {
  readonly reply: Fetched | null;
  readonly isLoading: boolean;
  /** Why no reply came. */
  readonly failure: string | null;
}

const nothing: FetchState = { reply: null, isLoading: false, failure: null };

/** So long must an address stay the same before it is requested. */
const delay = 150;

/** Requests an address, and again whenever it or the caller changes. Null requests nothing. */
export function useFetched(address: string | null, credentials: Credentials): FetchState {
  const [state, setState] = useState(nothing);
  const isFirst = useRef(true);
  const { token, role } = credentials;
  useEffect(() => {
    if (address === null) {
      setState(nothing);
      return;
    }
    const aborter = new AbortController();
    const request = () => {
      fetchReply(address, { token, role }, aborter.signal).then(
        (reply) => setState({ reply, isLoading: false, failure: null }),
        (error: Error) => {
          if (!aborter.signal.aborted) setState({ reply: null, isLoading: false, failure: error.message });
        },
      );
    };
    setState((before) => ({ ...before, isLoading: true }));
    const timer = setTimeout(request, isFirst.current ? 0 : delay);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [address, token, role]);
  return state;
}
