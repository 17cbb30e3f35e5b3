import { SnapshotError } from './errors.ts';

const shown = 20;

/** Collects what is wrong with a snapshot: all problems are counted, the first twenty kept in words. */
export class Problems {
  readonly #first: string[] = [];
  #count = 0;

  /** `where` names file, entry and attribute, as far as they apply. */
  add(where: string, what: string): void {
    this.#count++;
    if (this.#first.length < shown) this.#first.push(where ? `${where}: ${what}` : what);
  }

  get count(): number {
    return this.#count;
  }

  throwIfAny(): void {
    if (this.#count > 0) throw new SnapshotError(this.#first, this.#count);
  }
}

/** A value from a file in a message: short, and never a whole document. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
