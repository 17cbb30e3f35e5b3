import type { LoadResult } from '../load/measure.ts';
import { median } from '../statistics.ts';
import { digits, megabytes, table, whole } from './markdown.ts';

/** Ratios are over the cost of Lectern, so that more than 1 is slower or larger. */
export function loadReport({ content, entries, bytes, peers, holds }: LoadResult): string {
  const rows = peers.map(({ peer, rounds }) => {
    const times = rounds.map(({ readyMilliseconds }) => readyMilliseconds);
    const resident = median(rounds.map(({ residentBytes }) => residentBytes));
    return { peer, times, ready: median(times), resident, peak: Math.max(...rounds.map(({ peakBytes }) => peakBytes)) };
  });
  const empty = rows[0].resident;
  const lectern = rows.find(({ peer }) => peer === 'lectern')!;
  const longest = holds.reduce((one, other) => (most(other) > most(one) ? other : one));
  return [
    `## Load and memory: ${content}, ${whole(entries)} entries, ${megabytes(bytes)} of JSON`,
    table(
      ['peer', 'ready after, ms', 'min-max', 'ratio', 'resident above empty', 'of the JSON', 'ratio', 'peak'],
      rows
        .slice(1)
        .map(({ peer, times, ready, resident, peak }) => [
          peer,
          digits(ready),
          times.length > 1 ? `${digits(Math.min(...times))}-${digits(Math.max(...times))}` : '',
          digits(ready / lectern.ready),
          megabytes(resident - empty),
          digits((resident - empty) / bytes),
          digits((resident - empty) / (lectern.resident - empty)),
          megabytes(peak),
        ]),
    ),
    `An empty process takes ${megabytes(empty)}. Lectern holds every entry with drafts and translations; \`JSON.parse\` ` +
      'holds the files as objects; the others hold the rows that are served by default, without media.',
    `### The longest that one query holds the event loop: ${digits(most(longest))} ms (${longest.title})`,
    table(
      ['query', 'status', 'bytes', 'longest, ms', 'shortest, ms'],
      holds.map((hold) => [
        hold.title,
        String(hold.status),
        whole(hold.bytes),
        digits(most(hold)),
        digits(Math.min(...hold.milliseconds)),
      ]),
    ),
  ].join('\n\n');
}

function most({ milliseconds }: { milliseconds: number[] }): number {
  return Math.max(...milliseconds);
}
