// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
/** A way to break the engine: replaces `from`, which occurs once in a file of src/, with `to`. */
export interface Mutation {
  title: string;
  file: string;
  from: string;
  to: string;
}

export const mutations: Mutation[] = [
  {
    title: 'the upper end of a range is lost',
    file: 'plan/operator-codes.ts',
    from: 'lessOrEqual: (dictionary, [value]) => valuesBetween(0, countUpTo(dictionary, value)),',
    to: 'lessOrEqual: (dictionary, [value]) => valuesBetween(0, countBelow(dictionary, value)),',
  },
  {
    title: 'null is unequal to a value',
    file: 'sets/code-set.ts',
    from: 'let low = 1;',
    to: 'let low = 0;',
  },
  {
    title: 'null does not contain a text, so "not contains" is true of it',
    file: 'sets/code-set.ts',
    from: 'others.delete(0);',
    to: '',
  },
  {
    title: 'a null among the values of $notIn is passed over',
    file: 'plan/operator-codes.ts',
    from: "(negated || comparison !== 'oneOf')",
    to: "comparison !== 'oneOf'",
  },
  {
    title: '$not is lost',
    file: 'query/bind/bind-filters.ts',
    from: 'return this.#nested(type, value, key, !negated, subject);',
    to: 'return this.#nested(type, value, key, negated, subject);',
  },
  {
    title: '$not moves into relations to many',
    file: 'query/bind/bind-filters.ts',
    from: 'const excludes = negated && attribute.many &&',
    to: 'const excludes = false && attribute.many &&',
  },
  {
    title: '$not around a relation to many stays out of nothing related',
    file: 'plan/logical-plan.ts',
    from: 'return !isTrueOfNulls(condition.condition);',
    to: 'return isTrueOfNulls(condition.condition);',
  },
  {
    title: 'an anti-join keeps the rows that it is to remove',
    file: 'run/row-predicate.ts',
    from: 'return (row) => !test(row);',
    to: 'return test;',
  },
  {
    title: 'below $not, "and" stays "and"',
    file: 'query/bind/bind-filters.ts',
    from: "const flipped = kind === 'all' ? 'any' : 'all';",
    to: 'const flipped = kind;',
  },
  {
    title: 'a relation is followed in the wrong direction',
    file: 'run/filter.ts',
    from: '{ forward, reverse }: AdjacencyPair,',
    to: '{ forward: reverse, reverse: forward }: AdjacencyPair,',
  },
  {
    title: 'nothing related is not a row of nulls',
    file: 'plan/logical-plan.ts',
    from: 'const matchesUnlinked = isTrueOfNulls(condition.condition);',
    to: 'const matchesUnlinked = false;',
  },
  {
    title: 'case is folded by the platform: İ becomes two characters',
    file: 'model/case-folding.ts',
    from: 'folded += lower.length > character.length ? String.fromCodePoint(lower.codePointAt(0)!) : lower;',
    to: 'folded += lower;',
  },
  {
    title: 'text is sorted by UTF-16 units',
    file: 'build/text/sort-texts.ts',
    from: 'return bytes[at] < bytes[at + startOfB];',
    // surrogates precede U+E000, whose first byte is 0xee
    to: 'return (bytes[at] >= 0xf0 ? 0xed : bytes[at]) < (bytes[at + startOfB] >= 0xf0 ? 0xed : bytes[at + startOfB]);',
  },
  {
    title: 'null comes last in a descending sort',
    file: 'run/ranks.ts',
    from: 'const nullRank = descending ? 0 : above;',
    to: 'const nullRank = above;',
  },
  {
    title: 'ties are sorted by descending id',
    file: 'store/row-order.ts',
    from: 'return isAscending(rows) ? rows : rows.slice().sort();',
    to: 'return rows.slice().sort().reverse();',
  },
  {
    title: 'pages overlap by one entry',
    file: 'query/bind/bind-page.ts',
    from: 'const start = whole(binding, (Math.max(page, 1) - 1) * limit, ',
    to: 'const start = whole(binding, Math.max((Math.max(page, 1) - 1) * limit - 1, 0), ',
  },
  {
    title: 'the order of connection is lost',
    file: 'build/adjacency-builder.ts',
    from: 'keys.at(a) - keys.at(b) ||',
    to: 'keys.at(b) - keys.at(a) ||',
  },
  {
    title: 'drafts are populated beside published rows',
    file: 'reply/compile-projection.ts',
    from: 'return context.visible(target, everyStatus);',
    to: 'return context.visible(target, true);',
  },
  {
    title: 'a relation to what the caller may not read is populated',
    file: 'query/bind/context.ts',
    from: 'return isCreator || mayRead(binding, binding.schema.type(attribute.target));',
    to: 'return isCreator || true;',
  },
  {
    title: 'a private attribute may be named',
    file: 'query/bind/find-attribute.ts',
    from: 'if (!attribute || attribute.private) throw binding.',
    to: 'if (!attribute) throw binding.',
  },
  {
    title: 'a reply is cached for all callers alike',
    file: 'engine/store-engine.ts',
    from: 'const callerKey = `${caller.permissions.id} ${caller.role} ${format}`;',
    to: 'const callerKey = format;',
  },
  {
    title: 'what was left out is no part of the key of a reply',
    file: 'engine/store-engine.ts',
    from: 'key?.operand, isWhole, omitted]',
    to: 'key?.operand, isWhole]',
  },
  {
    title: 'a bitmap of the store is changed',
    file: 'run/filter.ts',
    from: 'return bitmap ? stored(bitmap) : own(column.rowsWithCodes(codes));',
    to: 'return own(bitmap ?? column.rowsWithCodes(codes));',
  },
  {
    title: 'a row on the border of a range is counted with it',
    file: 'derived/prefix-counts.ts',
    from: 'i < place; i++',
    to: 'i <= place; i++',
  },
  {
    title: 'the memory of a reply is used again before it has been sent',
    file: 'http/send.ts',
    from: 'body && isPooled(body) ? () => releaseBuffer(body) : undefined',
    to: 'body && (releaseBuffer(body) as undefined)',
  },
  {
    title: 'the estimate of a long reply is too high',
    file: 'reply/size-estimate.ts',
    from: '+ bytes * byteCost;',
    to: '+ bytes * byteCost * 1.1;',
  },
  {
    title: 'a template keeps the localizations that the page has left out which was asked for first',
    file: 'reply/compile-projection.ts',
    from: 'isPlain(populated) && !(siblings && leadsToLocalizations(populated)) ? parts[i] : undefined',
    to: 'isPlain(populated) ? parts[i] : undefined',
  },
  {
    title: 'the rows between a cumulative bitmap and the start of a range are not flipped',
    file: 'store/range-bitmaps.ts',
    from: 'flip(from * step, start);',
    to: '',
  },
  {
    title: 'planning a condition costs nothing',
    file: 'plan/planner.ts',
    from: 'budget.charged - view.budget.charged + maximumCost(plan)',
    to: 'maximumCost(plan)',
  },
  {
    title: 'a semi-join is charged for the average number of links',
    file: 'plan/cost-model.ts',
    from: 'return finding(plan, mostLinks).cost;',
    to: 'return finding(plan, averageLinks).cost;',
  },
];
