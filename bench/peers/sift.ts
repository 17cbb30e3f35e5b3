import type { Article, Rows } from '../data/rows.ts';
import { siftTest } from '../packages.ts';
import type { QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import { pageOf, searchOf } from './arrays.ts';
import { mongoCondition } from './mongo-conditions.ts';
import type { Peer } from './peer.ts';
import { articleShape, populatedShape, replyOf } from './shape.ts';

/** sift makes a test from the condition, over objects that hold their relations; the order is native. */
export class Sift implements Peer {
  #articles: Article[] = [];

  load({ articles }: Rows): void {
    this.#articles = articles;
  }

  query(name: QueryName, set: ParameterSet): Buffer {
    const search = searchOf(name, set);
    const matches = search.test ? this.#articles.filter(siftTest(mongoCondition(name, set))) : this.#articles;
    if (search.order) matches.sort(search.order);
    const shape = name === 'page' ? populatedShape : articleShape;
    return replyOf(pageOf(matches, search).map(shape), search.page, matches.length);
  }
}
