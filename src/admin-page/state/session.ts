import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type ApiError, errorOf } from '../../explorer/reply/api-error.ts';
import { parse } from '../../explorer/state/fetched.ts';
import type { Activity } from './activity.ts';

/** A token of the admin port, and what it may do. */
export interface Session {
  readonly token: string;
  /** Empty while they are unknown. */
  readonly rights: readonly string[];
  /** Grows with each refresh. */
  readonly tick: number;
  readonly activity: Activity;
  /** Requests everything again. */
  refresh(): void;
}

/** Provides what `useSession` returns. */
export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  return useContext(SessionContext)!;
}

/** `/ops/_admin` is the page of the admin port at `/ops`. */
const base = location.pathname.replace(/\/_admin\/?$/, '');

/** Returns the address of a path of the admin port. Its parts are the names in it, which are encoded. */
export function addressOf(...[route, ...parts]: readonly string[]): string {
  return [`${base}/${route}`, ...parts.map(encodeURIComponent)].join('/');
}

/** The outcome of a request that changes something. */
export type Outcome = { readonly value: unknown } | { readonly error: ApiError };

/** Sends a request that changes something. `body` is sent as JSON. */
export async function send(token: string, method: string, address: string, body?: unknown): Promise<Outcome> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  try {
    const response = await fetch(address, { method, headers, body: JSON.stringify(body) });
    const value = parse(await response.text());
    const error = errorOf(response.status, value);
    return error ? { error } : { value };
  } catch (error) {
    return { error: unreachable((error as Error).message) };
  }
}

/** Returns the error of a request to which no reply came. */
export function unreachable(reason: string): ApiError {
  const message = `The server cannot be reached: ${reason}`;
  return { status: 0, name: 'NetworkError', message, place: [], value: null, details: {} };
}

/** Returns whether rights list previews. */
export function readsPreviews(rights: readonly string[]): boolean {
  return rights.includes('contents') || rights.includes('previews');
}
