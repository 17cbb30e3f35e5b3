import type { Parameters, QueryName } from '../queries/queries.ts';
import type { ParameterSet } from '../queries/sets.ts';

type Conditions = { [Name in QueryName]: (parameters: Parameters[Name]) => object };

/** The filters in the language of MongoDB, for mingo and sift. Comparisons are false where a value is missing. */
const conditions: Conditions = {
  slug: ({ slug }) => ({ slug }),
  two: ({ premium, rating }) => ({ premium, rating: { $gte: rating } }),
  local: ({ kind }) => ({ kind }),
  deep2: ({ league }) => ({ 'author.team.league': league }),
  deep3: ({ league }) => ({ 'author.mentor.team.league': league }),
  many: ({ slugs, from, to }) => ({ reading: { $gte: from, $lte: to }, 'categories.slug': { $in: slugs } }),
  contains: ({ piece }) => ({ title: { $regex: new RegExp(piece, 'i') } }),
  page: () => ({}),
  mix: ({ kind, rating }) => ({
    $or: [{ $and: [{ kind }, { rating: { $gt: rating } }] }, { 'author.stars': { $lt: 2 } }],
  }),
};

export function mongoCondition(name: QueryName, { parameters }: ParameterSet): object {
  return (conditions[name] as (parameters: Parameters[QueryName]) => object)(parameters);
}
