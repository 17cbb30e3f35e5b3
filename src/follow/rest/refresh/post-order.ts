import type { PluginPost } from '../../../content/registry/plugin-post.ts';

/** Maximum number of processes of Strapi whose last post is known. */
const maxEpochs = 100;

/** The last post of each process of a Strapi. */
export class PostOrder {
  /** By epoch, the one that posted last at the end. */
  readonly #last = new Map<string, number>();

  /**
   * Takes a post. `next`: it follows the last one of its process. `repeated`: it was taken before. `gap`: posts may be
   * missing before it, because its process is new or has skipped some.
   */
  take({ epoch, sequence }: PluginPost): 'next' | 'repeated' | 'gap' {
    const last = this.#last.get(epoch);
    if (last !== undefined && sequence <= last) return 'repeated';
    this.#last.delete(epoch);
    this.#last.set(epoch, sequence);
    if (this.#last.size > maxEpochs) this.#last.delete(this.#last.keys().next().value!);
    return last !== undefined && sequence === last + 1 ? 'next' : 'gap';
  }
}
