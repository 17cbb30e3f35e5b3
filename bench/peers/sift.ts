import { mongoCondition } from '../compile/mongo.ts';
import { packaged } from '../packages.ts';
import { objectPeer } from './objects.ts';
import type { Peer } from './peer.ts';

type Sift = { default: (condition: object) => (row: object) => boolean };

/** sift over objects that hold their related objects. It filters; the order is native. */
export const sift: Peer = {
  name: 'sift',
  title: 'sift',
  colour: '#93bf4f',
  packages: ['sift'],
  open(content) {
    const { default: testFor } = packaged<Sift>('sift');
    return objectPeer((find, schema) => {
      const condition = mongoCondition(find, schema);
      return condition && testFor(condition);
    })(content);
  },
};
