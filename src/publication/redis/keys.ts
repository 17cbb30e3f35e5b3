/** The keys of a name. The braces are a hash tag: in a cluster, all keys are on one node. */
export interface Keys {
  /** A hash: `format`, `epoch`, `sequence`, `digest`, `image` (its version), `json` (what else a head says), `wake`. */
  readonly head: string;
  /** A stream, whose ids are versions. Its fields: `format`, `before`, `after`, and `changes` or `part`, `count`, `sha256`. */
  readonly log: string;
  /** A stream with one entry, new with each head that no change leads to. The head names it in `wake`. */
  readonly wake: string;
  /** A hash from keys of lists that the log refers to, to versions. */
  readonly parts: string;
  /** A set of ids. */
  readonly members: string;
  /** A list of parts of a large change. It expires, unless the log refers to it. */
  part(id: string): string;
  /** A text that expires. */
  member(id: string): string;
}

export function keysOf(name: string): Keys {
  const tag = `{lectern:${name}}`;
  return {
    head: `${tag}:head`,
    log: `${tag}:log`,
    wake: `${tag}:wake`,
    parts: `${tag}:parts`,
    members: `${tag}:members`,
    part: (id) => `${tag}:part:${id}`,
    member: (id) => `${tag}:member:${id}`,
  };
}
