/** What each database decides about queries. The policies of a dialect are those of PostgreSQL. */
import type { Dialect, DialectName } from '../core/dialect.ts';
import { collationOf } from '../model/collations/collation.ts';
import type { ScalarAttribute } from '../model/schema/schema.ts';
import { comparisonKindOf } from '../model/schema/value-types.ts';
import { greatestUnlessNumber, leadingNumber } from './bind/cast.ts';
import { type Comparison, mysqlComparisons, sqliteComparisons } from './operators.ts';
import type { DatabasePolicy, QueryPolicies } from './policies.ts';

export const postgresRules: DatabasePolicy = {
  nullIsLeast: false,
  sortsJsonText: () => false,
  comparisonFor: (comparison) => comparison,
  searchComparisonFor: (comparison) => comparison,
  columnsAreTyped: true,
};

/** Returns the policies of a dialect by the rules of its database. */
export function withDatabase(policies: QueryPolicies, { name, database, derived }: Dialect): QueryPolicies {
  switch (database) {
    case 'postgres':
      return policies;
    case 'sqlite':
      return untyped(policies, name, sqliteComparison, sqliteComparison, greatestUnlessNumber);
    case 'mysql': {
      const hasKeys = derived.collation !== null && collationOf(derived.collation).keys !== null;
      const { comparisonFor, searchComparisonFor } = mysqlRules(hasKeys);
      return untyped(policies, name, comparisonFor, searchComparisonFor, leadingNumber);
    }
    default:
      return database satisfies never;
  }
}

type ComparisonFor = DatabasePolicy['comparisonFor'];

/**
 * The rules that SQLite and MySQL share. JSON is text in both, so a dialect that compares JSON at all has every comparison.
 * The specification rejects an id that is no number on every database.
 */
function untyped(
  policies: QueryPolicies,
  dialect: DialectName,
  comparisonFor: ComparisonFor,
  searchComparisonFor: ComparisonFor,
  looseId: (text: string) => number,
): QueryPolicies {
  const { filter, casts } = policies;
  const comparesJson = (attribute: ScalarAttribute) => filter.comparesJson(attribute, 'equal');
  return {
    ...policies,
    database: {
      nullIsLeast: true,
      sortsJsonText: (attribute) => comparisonKindOf(attribute.type) === 'presence' && comparesJson(attribute),
      comparisonFor,
      searchComparisonFor,
      columnsAreTyped: false,
    },
    casts: { ...casts, jsonAsWritten: true, looseId: dialect === 'strapi' ? looseId : null },
    filter: { ...filter, comparesJson },
  };
}

function sqliteComparison(comparison: Comparison): Comparison {
  return sqliteComparisons[comparison] ?? comparison;
}

/** The comparisons of texts that have keys: a LIKE finds the same in either case, as equality does. */
const keyedComparisons: Partial<Record<Comparison, Comparison>> = {
  equalFolded: 'equal',
  contains: 'containsFolded',
  // keys begin with keys, so a range of them answers
  startsWithFolded: 'startsWith',
  endsWith: 'endsWithFolded',
};

/** `hasKeys`: texts are compared by the keys of a collation. JSON is not, and its case counts. */
function mysqlRules(hasKeys: boolean): Pick<DatabasePolicy, 'comparisonFor' | 'searchComparisonFor'> {
  const comparisonFor: ComparisonFor = (comparison, { type }) => {
    const kind = comparisonKindOf(type);
    if (kind === 'presence') return comparison;
    if (kind !== 'text') return mysqlComparisons[comparison] ?? comparison;
    return hasKeys ? (keyedComparisons[comparison] ?? comparison) : comparison;
  };
  const searchComparisonFor: ComparisonFor = (comparison, attribute) =>
    hasKeys && comparisonKindOf(attribute.type) === 'text'
      ? comparisonFor(comparison, attribute)
      : (mysqlComparisons[comparison] ?? comparison);
  return { comparisonFor, searchComparisonFor };
}
