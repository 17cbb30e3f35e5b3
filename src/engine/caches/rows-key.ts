/** Hashes and keys of rows that may be cached. */
import type { Condition, SortKey } from '../../query/bound.ts';
import type { RequestView } from '../../query/plan/request-view.ts';
import { typesRead } from '../../query/query-tags.ts';
import type { Scope } from '../../query/visible/scope.ts';
import type { Segment } from '../../store/segment.ts';
import { segmentOf } from '../../store/store.ts';
import { firstHash, hashNumber, hashText } from './hash.ts';

/** What decides which rows are found, and in which order. */
export interface RowsWanted {
  readonly segment: Segment;
  readonly scope: Scope;
  readonly conditions: readonly Condition[];
  /** Empty: the rows are not sorted. */
  readonly sort: readonly SortKey[];
}

/** Returns the key of rows. Rows with the same key are the same: it names all that they depend on. */
export function rowsKey(
  { store, cacheKeyPart }: RequestView,
  { segment, scope, conditions, sort }: RowsWanted,
): string {
  const { uid } = segment.collection.type;
  const { status, locale, publication } = scope;
  const types = typesRead(store.schema, uid, conditions, sort);
  const versions = Array.from(types, (type) => segmentOf(store, type).version);
  return JSON.stringify([uid, cacheKeyPart, status, locale, publication, versions, conditions, sort]);
}

/** Returns a hash of rows. It takes less time than their key, which only rows need that may be in the cache. */
export function rowsHash({ segment, scope: { status, locale }, conditions, sort }: RowsWanted): number {
  let hash = hashNumber(firstHash, segment.collection.number);
  hash = hashText(hash, status ?? '');
  hash = hashText(hash, locale ?? '');
  for (let i = 0; i < conditions.length; i++) hash = hashCondition(hash, conditions[i]);
  for (let i = 0; i < sort.length; i++) {
    const { path, descending, by } = sort[i];
    for (let j = 0; j < path.length; j++) hash = hashText(hash, path[j]);
    hash = hashNumber(hash, descending ? 1 : 2);
    if (by) hash = hashText(hash, by.kind === 'hash' ? by.seed : by.kind === 'language' ? by.language : by.kind);
  }
  return hash;
}

function hashCondition(hash: number, condition: Condition): number {
  switch (condition.kind) {
    case 'value': {
      const { attribute, comparison, operands } = condition;
      let next = hashText(hashText(hash, attribute), comparison);
      for (let i = 0; i < operands.length; i++) {
        const operand = operands[i];
        next = typeof operand === 'string' ? hashText(next, operand) : hashNumber(next, operand ?? 0);
      }
      return next;
    }
    case 'related':
      return hashCondition(hashText(hash, condition.component ?? condition.attribute), condition.condition);
    case 'not':
      return hashCondition(hashText(hash, condition.kind), condition.condition);
    case 'all':
    case 'any': {
      let next = hashText(hash, condition.kind);
      for (let i = 0; i < condition.conditions.length; i++) next = hashCondition(next, condition.conditions[i]);
      return next;
    }
    default:
      return condition satisfies never;
  }
}
