import type { Article, Rows } from '../data/rows.ts';
import { mingoQuery } from '../packages.ts';
import type { QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';
import { pageOf, searchOf } from './arrays.ts';
import { mongoCondition } from './mongo-conditions.ts';
import type { Peer } from './peer.ts';
import { articleShape, populatedShape, replyOf } from './shape.ts';

/**
 * mingo over objects that hold their relations, so that a path does what `$lookup` would have to. It filters; the
 * order is native, as its own puts nulls elsewhere and is slower.
 */
export class Mingo implements Peer {
  #articles: Article[] = [];

  load({ articles }: Rows): void {
    this.#articles = articles;
  }

  query(name: QueryName, set: ParameterSet): Buffer {
    const search = searchOf(name, set);
    const query = mingoQuery(mongoCondition(name, set));
    const matches = this.#articles.filter((row) => query.test(row));
    if (search.order) matches.sort(search.order);
    const shape = name === 'page' ? populatedShape : articleShape;
    return replyOf(pageOf(matches, search).map(shape), search.page, matches.length);
  }
}
