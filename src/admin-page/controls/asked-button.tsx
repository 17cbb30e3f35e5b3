import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../../explorer/reply/api-error.ts';
import { type Outcome, send, useSession } from '../state/session.ts';
import { Problem } from './problem.tsx';

interface AskedButtonProps {
  readonly label: string;
  /** What it is done to, for people who do not see where the button is. */
  readonly of?: string;
  readonly question: ComponentChildren;
  readonly isDisabled?: boolean;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly address: string;
  readonly body?: unknown;
  /** Returns what to say after the request. */
  done(value: unknown): string;
  /** Takes an error in place of showing it. Returns whether it did. */
  onError?(error: ApiError): boolean;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'asking' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'failed'; readonly error: ApiError };

/** A button that sends a request after a question in its place. Escape takes the question back. */
export function AskedButton(props: AskedButtonProps) {
  const { label, of, question, isDisabled = false, method, address, body, done, onError } = props;
  const { token, refresh } = useSession();
  const [state, setState] = useState<State>({ kind: 'idle' });
  const button = useRef<HTMLButtonElement>(null);
  const asked = useRef<HTMLDivElement>(null);
  const isReturning = useRef(false);
  const id = useId();
  const isAsking = state.kind === 'asking' || state.kind === 'sending';
  // at once, so that the next key finds its place
  useLayoutEffect(() => {
    if (isAsking) asked.current?.focus();
    // unless the focus went on with what was done
    else if (isReturning.current && document.activeElement === document.body) button.current?.focus();
    isReturning.current = isAsking;
  }, [isAsking]);
  const finish = (outcome: Outcome) => {
    if (!('error' in outcome)) setState({ kind: 'done', text: done(outcome.value) });
    else if (onError?.(outcome.error)) setState({ kind: 'idle' });
    else setState({ kind: 'failed', error: outcome.error });
    refresh();
  };
  const confirm = () => {
    setState({ kind: 'sending' });
    void send(token, method, address, body).then(finish);
  };
  if (isAsking) {
    return (
      <div
        ref={asked}
        class="asked"
        role="group"
        tabIndex={-1}
        aria-labelledby={id}
        onKeyDown={({ key }) => key === 'Escape' && state.kind === 'asking' && setState({ kind: 'idle' })}
      >
        <p id={id}>{question}</p>
        <div class="bar">
          <button type="button" class="danger" disabled={state.kind === 'sending'} onClick={confirm}>
            {state.kind === 'sending' ? 'Sent…' : label}
          </button>
          <button type="button" disabled={state.kind === 'sending'} onClick={() => setState({ kind: 'idle' })}>
            Cancel
          </button>
        </div>
      </div>
    );
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={of === undefined ? undefined : `${label}: ${of}`}
        disabled={isDisabled}
        onClick={() => setState({ kind: 'asking' })}
      >
        {label}
      </button>
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'done' && (
        <p class="done" role="status">
          {state.text}
        </p>
      )}
    </>
  );
}
