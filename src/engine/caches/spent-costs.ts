/** The number of slots. A prime, so that hashes spread evenly. */
const slots = 8_191;
/** Instead of costs: they were paid. */
const paid = -1;

/**
 * What requests have spent on things that are not kept, by the hash of their key. Fixed-size and lossy: a new hash takes the
 * slot of an older one, whose costs are forgotten. Things with the same hash are kept a little early.
 */
export class SpentCosts {
  readonly #hashes = new Uint32Array(slots);
  readonly #costs = new Float32Array(slots);

  /** Returns whether the price of the thing with this hash was paid last, so that it may still be kept. */
  isPaid(hash: number): boolean {
    const slot = hash % slots;
    return this.#hashes[slot] === hash && this.#costs[slot] === paid;
  }

  /**
   * Returns whether earlier requests have spent `price` on the thing with this hash: then it is paid. Otherwise adds `cost`.
   * So keeping things costs at most as much as finding them did, however rarely they are requested again.
   */
  pay(hash: number, price: number, cost: number): boolean {
    const slot = hash % slots;
    const spent = this.#hashes[slot] === hash ? this.#costs[slot] : 0;
    const isEnough = spent > 0 && spent >= price;
    this.#hashes[slot] = hash;
    this.#costs[slot] = isEnough ? paid : Math.max(0, spent) + cost;
    return isEnough;
  }
}
