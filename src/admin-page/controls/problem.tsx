import { visibleText } from '../../explorer/controls/visible-text.ts';
import type { ApiError } from '../../explorer/reply/api-error.ts';

/** An error that the server answered with. */
export function Problem({ error }: { readonly error: ApiError }) {
  const { status, message } = error;
  return (
    <p class="problem" role="alert">
      {status > 0 && <strong>{status} </strong>}
      {visibleText(message)}
      {status === 401 && '. The server knows no such token.'}
    </p>
  );
}

interface MissingRightProps {
  readonly right: string;
  /** What it would allow, such as `pin versions`. */
  readonly to: string;
}

/** What a token may not see or do. */
export function MissingRight({ right, to }: MissingRightProps) {
  return (
    <p class="quiet">
      To {to}, a token needs the right “{right}”.
    </p>
  );
}
