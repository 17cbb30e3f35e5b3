import type { PluginPost } from '../../../content/registry/plugin-post.ts';

/** Maximum number of processes of Strapi whose last post is known. */
const maxEpochs = 100;

/** A post of a process of Strapi. -1: before the first one. */
export type PostPosition = Pick<PluginPost, 'epoch' | 'sequence'>;

/** The last post of each process of a Strapi. */
export class PostOrder {
  /** By epoch, the one that posted last at the end. */
  readonly #last = new Map<string, number>();

  /**
   * Takes a post. `next`: it follows the last one of its process. `repeated`: it was taken before. `gap`: posts may be
   * missing before it, because its process is new or has skipped some.
   */
  take({ epoch, sequence }: PostPosition): 'next' | 'repeated' | 'gap' {
    const last = this.#last.get(epoch);
    if (last !== undefined && sequence <= last) return 'repeated';
    this.#set({ epoch, sequence });
    return last !== undefined && sequence === last + 1 ? 'next' : 'gap';
  }

  /** Everything until a post of a process is read otherwise, so that the next one has no gap before it. */
  begin({ epoch, sequence }: PostPosition): void {
    this.#set({ epoch, sequence: Math.max(sequence, this.#last.get(epoch) ?? sequence) });
  }

  #set({ epoch, sequence }: PostPosition): void {
    this.#last.delete(epoch);
    this.#last.set(epoch, sequence);
    if (this.#last.size > maxEpochs) this.#last.delete(this.#last.keys().next().value!);
  }
}
