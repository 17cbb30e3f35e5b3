import type { Article, Rows } from '../data/rows.ts';
import { type Parameters, pageSize, type QueryName, queries } from './queries.ts';
import { Random } from './random.ts';

/** One set of parameters, and the URL that says it. */
export interface ParameterSet<Name extends QueryName = QueryName> {
  url: string;
  parameters: Parameters[Name];
}

/**
 * Seeded parameter sets for one query, no two alike. Where the data does not hold as many different ones, there are
 * fewer.
 */
export function parameterSets(name: QueryName, rows: Rows, count: number, seed = 1): ParameterSet[] {
  const random = new Random(seed * 7919 + name.length);
  const make = makers(rows)[name] as (random: Random) => Parameters[QueryName];
  const url = queries[name].url as (parameters: Parameters[QueryName]) => string;
  const sets = new Map<string, ParameterSet>();
  for (let attempt = 0; sets.size < count && attempt < count * 50; attempt++) {
    const parameters = make(random);
    const asked = url(parameters);
    if (!sets.has(asked)) sets.set(asked, { url: asked, parameters });
  }
  return [...sets.values()];
}

type Makers = { [Name in QueryName]: (random: Random) => Parameters[Name] };

function makers({ articles, teams, categories }: Rows): Makers {
  const leagues = distinct(teams.map(({ league }) => league));
  const kinds = distinct(articles.map(({ kind }) => kind));
  const pages = Math.floor(articles.length / pageSize);
  /** Most pages of a filter that takes about one in eight, the rarest of them half as many; at most 30. */
  const filtered = Math.max(1, Math.min(30, Math.floor(pages / 16)));
  const deepest = Math.min(300, pages);
  return {
    slug: (random) => ({ slug: random.pick(articles).slug }),
    two: (random) => ({ premium: random.next() < 0.5, rating: random.decimal(3.75, 4.75, 3) }),
    local: (random) => ({ kind: random.pick(kinds), page: random.integer(1, filtered) }),
    deep2: (random) => ({ league: random.pick(leagues), page: random.integer(1, filtered) }),
    deep3: (random) => ({ league: random.pick(leagues), page: random.integer(1, filtered) }),
    many: (random) => {
      const slugs = new Set<string>();
      while (slugs.size < 3) slugs.add(random.pick(categories).slug);
      const from = random.integer(2, 8);
      return { slugs: [...slugs], from, to: from + random.integer(3, 9) };
    },
    contains: (random) => ({ piece: piece(random, articles) }),
    page: (random) => ({ page: random.integer(Math.max(1, Math.floor(deepest / 3)), deepest) }),
    mix: (random) => ({ kind: random.pick(kinds), rating: random.decimal(4.3, 4.7, 3) }),
  };
}

/** Three letters that stand together in some title. */
function piece(random: Random, articles: Article[]): string {
  for (;;) {
    const pieces = random
      .pick(articles)
      .title.toLowerCase()
      .match(/[a-z]{3,}/g);
    if (!pieces) continue;
    const word = random.pick(pieces);
    const at = random.integer(0, word.length - 3);
    return word.slice(at, at + 3);
  }
}

function distinct<Value>(values: Value[]): Value[] {
  return [...new Set(values)];
}
