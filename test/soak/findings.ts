/** Number of failures of each kind that are reported with their text. */
const kept = 5;

/** Failures, and the number of replies by kind. */
export class Findings {
  readonly failures: string[] = [];
  readonly #failed = new Map<string, number>();
  readonly #statuses = new Map<string, Map<string, number>>();

  /** `kind` names the violated expectation, `text` the seed of the request. */
  fail(kind: string, text: string): void {
    const count = (this.#failed.get(kind) ?? 0) + 1;
    this.#failed.set(kind, count);
    if (count > kept) return;
    this.failures.push(`${kind}: ${text}`);
    console.error(`failed: ${kind}: ${text}`);
  }

  get hasFailed(): boolean {
    return this.#failed.size > 0;
  }

  /** How many failures of each kind there were. */
  get failureCounts(): string {
    const counts = [...this.#failed].map(([kind, count]) => `${count} × ${kind}`);
    return counts.join(', ') || 'no failures';
  }

  /**
   * Counts a reply to one kind of traffic. A status of 500 or more is a failure unless it is a 503 that says when to
   * come again. `head` holds the lines before the body.
   */
  reply(traffic: string, status: number, head: string, asked: string): void {
    const isRefusal = status === 503 && /^retry-after: *\d/im.test(head);
    this.count(traffic, isRefusal ? '503 with Retry-After' : String(status));
    if (status >= 500 && !isRefusal) this.fail('status of 500 or more', `${status} to ${traffic}, ${asked}`);
  }

  count(traffic: string, what: string): void {
    const counts = this.#statuses.get(traffic) ?? new Map<string, number>();
    this.#statuses.set(traffic, counts.set(what, (counts.get(what) ?? 0) + 1));
  }

  countOf(traffic: string, what: string): number {
    return this.#statuses.get(traffic)?.get(what) ?? 0;
  }

  /** One line for each kind of traffic. */
  lines(): string[] {
    return [...this.#statuses].map(([traffic, counts]) => {
      const sorted = [...counts].sort(([a], [b]) => a.localeCompare(b));
      return `${traffic}: ${sorted.map(([what, count]) => `${count} × ${what}`).join(', ')}`;
    });
  }
}
