import { RequestError } from '../../core/errors.ts';
import type { AnsweredRequest, ChangeAnswer, RequestKey } from './change-request.ts';

/** Maximum number of keys that are known. The oldest one is forgotten first. */
const maxKeys = 10_000;

interface KnownAnswer {
  readonly digest: string;
  readonly answer: ChangeAnswer;
}

/** The answers to requests with an `Idempotency-Key`. */
export class AnsweredKeys {
  readonly #known = new Map<string, KnownAnswer>();

  /** `answered` are requests with their answers, the oldest first. */
  constructor(answered: readonly AnsweredRequest[] = []) {
    for (const { key, answer } of answered) this.add(key, answer);
  }

  /** Returns the answer that the key had, or null for a new one. Throws a RequestError if it came with another body. */
  answerTo({ key, digest }: RequestKey): ChangeAnswer | null {
    const known = this.#known.get(key);
    if (!known) return null;
    if (known.digest === digest) return known.answer;
    const message = `The Idempotency-Key ${JSON.stringify(key)} was sent with another body. Use a new key`;
    throw new RequestError(422, 'IdempotencyError', message);
  }

  /** All that are known, the oldest first. */
  get all(): AnsweredRequest[] {
    return Array.from(this.#known, ([key, { digest, answer }]) => ({ key: { key, digest }, answer }));
  }

  add({ key, digest }: RequestKey, answer: ChangeAnswer): void {
    this.#known.delete(key);
    this.#known.set(key, { digest, answer });
    if (this.#known.size <= maxKeys) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest);
  }
}
