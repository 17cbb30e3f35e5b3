import type { InprocessResult } from '../inprocess/result.ts';
import { digits, table, whole } from './markdown.ts';

/** How much longer Lectern takes over more content, with its caches off; for two sizes or more. */
export function growthReport(results: InprocessResult[]): string {
  const [first, ...larger] = [...results].sort((one, other) => one.entries - other.entries);
  const times = ({ queries }: InprocessResult) => queries.map(({ cells }) => cells[0].median);
  const base = times(first);
  return [
    '## Growth: the time of Lectern over its time at the smallest size',
    table(
      ['entries', ...first.queries.map(({ name }) => name)],
      larger.map((result) => [
        whole(result.entries),
        ...times(result).map((time, index) => digits(time / base[index])),
      ]),
    ),
  ].join('\n\n');
}
