/** What each database decides about queries. The policies of a dialect are those of PostgreSQL. */
import type { Dialect, DialectName } from '../core/dialect.ts';
import type { ScalarAttribute } from '../model/schema/schema.ts';
import { comparisonKindOf } from '../model/schema/value-types.ts';
import { type Comparison, sqliteComparisons } from './operators.ts';
import type { DatabasePolicy, QueryPolicies } from './policies.ts';

export const postgresRules: DatabasePolicy = {
  nullIsLeast: false,
  sortsJsonText: () => false,
  comparisonFor: (comparison) => comparison,
  columnsAreTyped: true,
};

const sqliteRules = {
  nullIsLeast: true,
  comparisonFor: (comparison: Comparison) => sqliteComparisons[comparison] ?? comparison,
  columnsAreTyped: false,
};

/** Returns the policies of a dialect by the rules of its database. */
export function withDatabase(policies: QueryPolicies, { name, database }: Dialect): QueryPolicies {
  switch (database) {
    case 'postgres':
      return policies;
    case 'sqlite':
      return withSqlite(policies, name);
    default:
      return database satisfies never;
  }
}

/**
 * JSON is text in SQLite, so a dialect that compares JSON at all has every comparison. The specification rejects an id
 * that is no number on every database.
 */
function withSqlite(policies: QueryPolicies, dialect: DialectName): QueryPolicies {
  const { filter, casts } = policies;
  const comparesJson = (attribute: ScalarAttribute) => filter.comparesJson(attribute, 'equal');
  return {
    ...policies,
    database: {
      ...sqliteRules,
      sortsJsonText: (attribute) => comparisonKindOf(attribute.type) === 'presence' && comparesJson(attribute),
    },
    casts: { ...casts, jsonAsWritten: true, takesAnyId: dialect === 'strapi' },
    filter: {
      ...filter,
      comparesJson,
      searchComparison: (text) => sqliteRules.comparisonFor(filter.searchComparison(text)),
    },
  };
}
