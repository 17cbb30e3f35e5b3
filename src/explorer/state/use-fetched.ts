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

/** The least milliseconds between two requests: a click is answered at once, and typing does not request each letter. */
const pause = 150;

/** Requests an address, and again whenever it, the caller or `repeats` changes. Null requests nothing. */
export function useFetched(address: string | null, credentials: Credentials, repeats = 0): FetchState {
  const [state, setState] = useState(nothing);
  const requestedAt = useRef(-Infinity);
  const { token, role } = credentials;
  useEffect(() => {
    if (address === null) {
      setState(nothing);
      return;
    }
    const aborter = new AbortController();
    const request = () => {
      requestedAt.current = performance.now();
      fetchReply(address, { token, role }, aborter.signal, repeats > 0).then(
        (reply) => setState({ reply, isLoading: false, failure: null }),
        (error: Error) => {
          if (!aborter.signal.aborted) setState({ reply: null, isLoading: false, failure: error.message });
        },
      );
    };
    setState((before) => ({ ...before, isLoading: true }));
    const timer = setTimeout(request, Math.max(0, requestedAt.current + pause - performance.now()));
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [address, token, role, repeats]);
  return state;
}
