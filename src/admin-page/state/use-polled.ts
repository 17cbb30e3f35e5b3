import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, errorOf } from '../../explorer/reply/api-error.ts';
import type { Fetched } from '../../explorer/state/fetched.ts';
import { useFetched } from '../../explorer/state/use-fetched.ts';
import { Activity } from './activity.ts';
import type { Session } from './session.ts';

/** Milliseconds between two looks at whether a refresh is due. */
const lookEvery = 500;

/** Counts refreshes: every few seconds while the page is visible, as soon as it becomes so, and on demand. */
export function useTicks(): Pick<Session, 'tick' | 'activity' | 'refresh'> {
  const [tick, setTick] = useState(0);
  const [activity] = useState(() => new Activity(performance.now()));
  const refresh = useCallback(() => {
    activity.refresh(performance.now());
    setTick((before) => before + 1);
  }, [activity]);
  useEffect(() => {
    const look = () => {
      if (!document.hidden && activity.isDue(performance.now())) refresh();
    };
    const timer = setInterval(look, lookEvery);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [activity, refresh]);
  return { tick, activity, refresh };
}

/** The latest value of an address. It stays while the next one is awaited, and while the server cannot be reached. */
export interface Polled<T> {
  /** Null before the first reply, and after an error. */
  readonly value: T | null;
  /** The reply with the value or the error, or null. */
  readonly reply: Fetched | null;
  /** The error of the latest reply, or null. */
  readonly error: ApiError | null;
  /** Why no reply came to the latest request, or null. */
  readonly failure: string | null;
}

/** Requests an address of the admin port, and again with each refresh. Null requests nothing. */
export function usePolled<T>(address: string | null, { token, tick, activity }: Session): Polled<T> {
  const { reply: latest, isLoading, failure } = useFetched(address, { token, role: '' }, tick);
  const kept = useRef<Fetched | null>(null);
  if (latest) kept.current = latest;
  useEffect(() => {
    if (!isLoading) return;
    const end = activity.begin(performance.now());
    return () => end(performance.now());
  }, [isLoading, activity]);
  const reply = kept.current?.address === address ? kept.current : null;
  const error = reply && errorOf(reply.status, reply.value);
  const isValue = reply !== null && reply.status < 400;
  return { value: isValue ? (reply.value as T) : null, reply, error, failure };
}
