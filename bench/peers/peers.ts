import { Arrays } from './arrays.ts';
import { Floor } from './floor.ts';
import { Lectern } from './lectern.ts';
import { Loki } from './loki.ts';
import { Mingo } from './mingo.ts';
import type { Peer } from './peer.ts';
import { Sift } from './sift.ts';
import { SqliteGeneric } from './sqlite-generic.ts';
import { SqliteTuned } from './sqlite-tuned.ts';

/** The order in which they take turns and stand in tables. The first is what the others are compared with. */
export const peers = {
  lectern: () => new Lectern({ cacheBytes: 0 }),
  'lectern, caches on': () => new Lectern({}),
  'sqlite, generic SQL': () => new SqliteGeneric(),
  'sqlite, tuned by hand': () => new SqliteTuned(),
  lokijs: () => new Loki(),
  mingo: () => new Mingo(),
  sift: () => new Sift(),
  'plain arrays': () => new Arrays(),
  'floor (stringify only)': () => new Floor(),
} satisfies Record<string, () => Peer>;

export type PeerName = keyof typeof peers;

export const peerNames = Object.keys(peers) as PeerName[];
