import { mongoCondition } from '../compile/mongo.ts';
import { packaged } from '../packages.ts';
import { objectPeer } from './objects.ts';
import type { Peer } from './peer.ts';

type Mingo = { Query: new (condition: object) => { test(row: object): boolean } };

/**
 * mingo over objects that hold their related objects, so that a path does what `$lookup` would have to. It filters.
 * The order is native, as mingo's own is slower and puts nulls elsewhere.
 */
export const mingo: Peer = {
  name: 'mingo',
  title: 'mingo',
  colour: '#2f8f5b',
  packages: ['mingo'],
  open(content) {
    const { Query } = packaged<Mingo>('mingo');
    return objectPeer((find, schema) => {
      const condition = mongoCondition(find, schema);
      if (!condition) return null;
      const query = new Query(condition);
      return (row) => query.test(row);
    })(content);
  },
};
