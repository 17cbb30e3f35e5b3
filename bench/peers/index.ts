import { joinedFloor, stringifyFloor } from './floors.ts';
import { cachedLectern, uncachedLectern } from './lectern.ts';
import { lokijs } from './lokijs.ts';
import { mingo } from './mingo.ts';
import type { Peer } from './peer.ts';
import { plainArrays } from './plain-arrays.ts';
import { readyMap } from './ready-map.ts';
import { sift } from './sift.ts';
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

export function peerNamed(name: string): Peer {
  const found = peers.find((peer) => peer.name === name);
  if (!found)
    throw new Error(`There is no peer ${JSON.stringify(name)}. Peers: ${peers.map(({ name }) => name).join(', ')}.`);
  return found;
}
