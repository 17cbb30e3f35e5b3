import { testOf } from '../compile/javascript.ts';
import { objectPeer } from './objects.ts';
import type { Peer } from './peer.ts';

/** Filters, sorts and slices arrays of objects that hold their related objects. */
export const plainArrays: Peer = {
  name: 'plain-arrays',
  title: 'plain arrays',
  colour: '#9067c6',
  open: objectPeer(testOf),
};
