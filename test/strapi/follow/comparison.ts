import { type Answer, compareAnswers, type Difference } from '../compare-answers.ts';
import { deviationOf } from '../deviations.ts';
import type { Content } from '../queries/content.ts';
import type { Request } from '../queries/query-context.ts';
import { randomRequest } from '../queries/requests.ts';
import { Random } from '../random.ts';
import { type Authorizations, ask } from './clients.ts';
import { ruleOf, withCommonForms } from './database-rules.ts';
import type { DatabaseKind } from './databases.ts';
import type { Questions } from './freshness.ts';

/** A part of the report: as text, as JSON, and how many of its findings are errors. */
export interface Finding {
  readonly text: string;
  readonly report: object;
  readonly failures: number;
}

/** How many differences a report holds. */
const listed = 20;

/** Asks two servers the same questions. The first is a Strapi, or a Lectern that loaded its content afresh. */
export class Comparison implements Questions {
  readonly #expected: string;
  readonly #followed: string;
  readonly #known: Authorizations;
  readonly #database: DatabaseKind;

  constructor(expected: string, followed: string, known: Authorizations, database: DatabaseKind) {
    this.#expected = expected;
    this.#followed = followed;
    this.#known = known;
    this.#database = database;
  }

  strapi(request: Request): Promise<Answer> {
    return ask(this.#expected, request, this.#known);
  }

  lectern(request: Request): Promise<Answer> {
    return ask(this.#followed, request, this.#known);
  }

  compare(request: Request, strapi: Answer, lectern: Answer): Difference | null {
    const form = this.#database !== 'postgres' ? withCommonForms : (answer: Answer) => answer;
    const difference = compareAnswers(request, form(strapi), form(lectern));
    return difference && !deviationOf(request, strapi, lectern, difference) ? difference : null;
  }

  /** Asks random queries, and counts the answers that differ from Strapi's by the rule that explains them. */
  async compareQueries(content: Content, seed: number, count: number): Promise<Finding> {
    const explained = new Map<string, number>();
    return this.#compareMany(content, seed, count, explained, (request, strapi, lectern) => {
      const difference = this.compare(request, strapi, lectern);
      const rule = difference && ruleOf(this.#database, request, strapi, lectern, difference);
      if (rule) explained.set(rule, (explained.get(rule) ?? 0) + 1);
      return rule ? null : difference;
    });
  }

  /** Asks random queries, whose answers must be the same in every byte. */
  async compareExactly(content: Content, seed: number, count: number): Promise<Finding> {
    return this.#compareMany(content, seed, count, new Map(), (_, fresh, followed) => {
      const [expected, found] = [JSON.stringify(fresh), JSON.stringify(followed)];
      return expected === found ? null : { kind: 'other bytes', where: '$', expected, found };
    });
  }

  async #compareMany(
    content: Content,
    seed: number,
    count: number,
    explained: ReadonlyMap<string, number>,
    compare: (request: Request, strapi: Answer, lectern: Answer) => Difference | null,
  ): Promise<Finding> {
    const differences: (Request & Difference)[] = [];
    for (let i = 0; i < count; i++) {
      const request = randomRequest(new Random(seed * 1_000_003 + i), content);
      const [strapi, lectern] = await Promise.all([this.strapi(request), this.lectern(request)]);
      const difference = compare(request, strapi, lectern);
      if (difference) differences.push({ ...request, ...difference });
    }
    const rules = Object.fromEntries(explained);
    const meant = [...explained.values()].reduce((total, each) => total + each, 0);
    const lines = differences
      .slice(0, listed)
      .map(({ caller, path, where, expected, found }) =>
        [`\n  ${caller} ${decodeURIComponent(path)}`, `${where}: ${short(expected)}`, short(found)].join('\n    '),
      );
    return {
      text: `${count} queries, ${meant} differ by a rule of SQLite, ${differences.length} differ${lines.join('')}`,
      report: { queries: count, byRulesOfSqlite: rules, differences: differences.slice(0, listed) },
      failures: differences.length,
    };
  }
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}
