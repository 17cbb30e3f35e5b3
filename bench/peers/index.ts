import { joinedFloor, stringifyFloor } from './floors.ts';
import { cachedLectern, uncachedLectern } from './lectern.ts';
import { lokijs } from './lokijs.ts';
import { mingo, plainArrays, sift } from './object-peers.ts';
import type { Peer } from './peer.ts';
import { readyMap } from './ready-map.ts';
import { sqliteGeneric, sqliteStrapi } from './sqlite-generic.ts';
import { sqliteReady, sqliteTuned } from './sqlite-tuned.ts';

/** In the order of turns and tables. All others are compared with the first. */
export const peers: Peer[] = [
  uncachedLectern,
  cachedLectern,
  sqliteStrapi,
  sqliteGeneric,
  sqliteTuned,
  sqliteReady,
  lokijs,
  mingo,
  sift,
  plainArrays,
  readyMap,
  stringifyFloor,
  joinedFloor,
];

/** The name has to be one of those above. */
export const peerNamed = (name: string): Peer => peers.find((peer) => peer.name === name)!;
