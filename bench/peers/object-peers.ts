import { testOf } from '../compile/javascript.ts';
import { mongoCondition } from '../compile/mongo.ts';
import { packaged } from '../packages.ts';
import { objectPeer } from './objects.ts';
import type { Peer } from './peer.ts';

/**
 * Peers over objects that hold their related objects, so that a path needs no `$lookup`. Only the filter is theirs. The
 * order is native, as mingo's own is slower and puts nulls elsewhere.
 */

export const plainArrays: Peer = {
  name: 'plain-arrays',
  title: 'plain arrays',
  colour: '#9067c6',
  open: objectPeer(testOf),
};

/** A package that tests objects by a condition in the language of MongoDB. `testFor` gives its test of a condition. */
function mongoPeer<Exports>(
  { name, colour }: { name: string; colour: string },
  testFor: (exported: Exports, condition: object) => (row: object) => boolean,
): Peer {
  return {
    name,
    title: name,
    colour,
    packages: [name],
    open(content) {
      const exported = packaged<Exports>(name);
      return objectPeer((find, schema) => {
        const condition = mongoCondition(find, schema);
        return condition && testFor(exported, condition);
      })(content);
    },
  };
}

type Mingo = { Query: new (condition: object) => { test(row: object): boolean } };

export const mingo = mongoPeer<Mingo>({ name: 'mingo', colour: '#2f8f5b' }, ({ Query }, condition) => {
  const query = new Query(condition);
  return (row) => query.test(row);
});

type Sift = { default: (condition: object) => (row: object) => boolean };

export const sift = mongoPeer<Sift>({ name: 'sift', colour: '#93bf4f' }, (exported, condition) =>
  exported.default(condition),
);
