import type { LoadResult } from '../load/measure.ts';
import { digits, megabytes, table, whole } from './markdown.ts';

export function loadReport({ entries, bytes, loadings, holds }: LoadResult): string {
  const [nothing, parse, lectern] = loadings;
  const above = (resident: number) => resident - nothing.resident;
  const longest = holds.reduce((one, other) => (other.longest > one.longest ? other : one));
  return [
    `## Load and memory: ${whole(entries)} entries, ${megabytes(bytes)} of JSON`,
    table(
      ['process', 'ms', 'min-max', 'time over JSON.parse', 'resident above empty', 'of the bytes of JSON', 'peak'],
      loadings.map(({ kind, milliseconds, spread, resident, peak }) => [
        kind,
        digits(milliseconds),
        spread.map(digits).join('-'),
        kind === 'nothing' ? '-' : digits(milliseconds / parse.milliseconds),
        megabytes(above(resident)),
        digits(above(resident) / bytes),
        megabytes(peak),
      ]),
    ),
    `An empty Node process takes ${megabytes(nothing.resident)}. Lectern is ready after ` +
      `${digits(lectern.milliseconds / parse.milliseconds)} times \`JSON.parse\` of the same files and takes ` +
      `${digits(above(lectern.resident) / bytes)} times their bytes.`,
    `### The longest that one query holds the event loop: ${digits(longest.longest)} ms (${longest.title})`,
    table(
      ['query', 'status', 'bytes', 'longest ms', 'shortest ms'],
      holds.map((hold) => [
        hold.title,
        String(hold.status),
        whole(hold.bytes),
        digits(hold.longest),
        digits(hold.shortest),
      ]),
    ),
  ].join('\n\n');
}
