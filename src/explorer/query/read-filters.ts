import { type FilterChip, type FilterItem, haveOwnKeys } from './explored-query.ts';
import { type Parameter, startsWith } from './parameters.ts';
import { isList, type QueryValue } from './query-value.ts';
import { isName } from './read-names.ts';

interface ReadFilters {
  readonly items: readonly FilterItem[];
  readonly kept: readonly Parameter[];
}

/** An item, and the path of the parameters that it replaces. */
interface Found {
  readonly item: FilterItem;
  readonly at: readonly string[];
}

/**
 * Reads `filters`. From the first parameter on that is neither a chip nor a group of chips, all are kept, because the
 * order of conditions is part of the query.
 */
export function readFilters(value: QueryValue | undefined, parameters: readonly Parameter[]): ReadFilters {
  if (!(value instanceof Map)) return { items: [], kept: parameters };
  const found: Found[] = [];
  collect(value, [], found);
  const kept = parameters.filter(({ path }) => !found.some(({ at }) => startsWith(path.slice(1), at)));
  return { items: found.map(({ item }) => item), kept };
}

/** Adds what can be shown to `found`. Returns false at the first member that cannot. */
function collect(members: ReadonlyMap<string, QueryValue>, path: readonly string[], found: Found[]): boolean {
  for (const [key, value] of members) {
    const at = [...path, key];
    if (!key.startsWith('$') && isName(key) && value instanceof Map) {
      if (!collect(value, at, found)) return false;
      continue;
    }
    const item = key === '$or' || key === '$and' || key === '$not' ? readGroup(key, value, path) : readChip(at, value);
    if (!item) return false;
    found.push({ item, at });
  }
  return true;
}

function readGroup(operator: '$or' | '$and' | '$not', value: QueryValue, path: readonly string[]): FilterItem | null {
  if (path.length > 0) return null;
  if (operator === '$not') {
    const chips = readChips(value) ?? readNegatedList(value);
    return chips && { kind: 'group', operator, chips };
  }
  const chips = readChipList(value);
  return chips && { kind: 'group', operator, chips };
}

/** Reads the list in `$not[$and]`, which chips need that have a key in common. */
function readNegatedList(value: QueryValue): FilterChip[] | null {
  const list = value instanceof Map && value.size === 1 ? value.get('$and') : undefined;
  const chips = list === undefined ? null : readChipList(list);
  return chips === null || haveOwnKeys(chips) ? null : chips;
}

function readChipList(value: QueryValue): FilterChip[] | null {
  if (value === null || !isList(value)) return null;
  const chips = value.flatMap((item) => {
    const inner = readChips(item);
    return inner?.length === 1 ? inner : [null];
  });
  return chips.includes(null) ? null : (chips as FilterChip[]);
}

function readChips(value: QueryValue): FilterChip[] | null {
  const found: Found[] = [];
  if (!(value instanceof Map) || !collect(value, [], found)) return null;
  const chips = found.flatMap(({ item }) => (item.kind === 'chip' ? [item] : []));
  return chips.length === found.length ? chips : null;
}

/** Longer paths might not be readable once an operator and a number are added. */
const longestChip = 15;

/** Reads `…[$eq]=x`, or `…=x`, which means the same, as a list means `$in`. */
function readChip(at: readonly string[], value: QueryValue): FilterChip | null {
  const operand = readOperand(value);
  if (operand === undefined || at.filter((key) => !key.startsWith('$')).length > longestChip) return null;
  const key = at.at(-1)!;
  if (key.startsWith('$')) {
    return at.length < 2 ? null : { kind: 'chip', path: at.slice(0, -1), operator: key, value: operand };
  }
  if (!isName(key)) return null;
  return {
    kind: 'chip',
    path: at,
    operator: operand !== null && typeof operand !== 'string' ? '$in' : '$eq',
    value: operand,
  };
}

function readOperand(value: QueryValue): FilterChip['value'] | undefined {
  if (value === null || typeof value === 'string') return value;
  return isList(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}
