import { countText } from '../../explorer/reply/amounts.ts';
import { type Sample, sumOf } from './metrics-text.ts';
import type { ListedContent, Readiness, Status } from './replies.ts';
import { timeText } from './times.ts';

/** Something that an operator should know. */
export interface Notice {
  readonly level: 'error' | 'warning' | 'note';
  /** The content that it is about, or null. */
  readonly content: string | null;
  readonly title: string;
  /** More than a line, or empty. */
  readonly text: string;
}

interface Known {
  readonly status: Status;
  /** Null while it is unknown. */
  readonly readiness: Readiness | null;
  /** Why no content is served, or null. */
  readonly unready: string | null;
  readonly contents: readonly ListedContent[];
  readonly metrics: readonly Sample[];
}

const levels = ['error', 'warning', 'note'];

/** Counts that should be 0, with what they mean. */
const counted: readonly (readonly [metric: string, title: (count: number) => string])[] = [
  ['lectern_log_lost_lines_total', (count) => `Lines of the log that were lost since the start: ${count}`],
  ['lectern_threads_restarted_total', (count) => `Threads that ended unexpectedly and were replaced: ${count}`],
  ['lectern_compaction_failed', () => 'The last compaction failed: see the log'],
  ['lectern_journal_compaction_failed', () => 'The last compaction of the journal failed: see the log'],
];

/** Returns what an operator should know, the worst first. */
export function noticesOf(known: Known): Notice[] {
  return [...ofProcess(known), ...ofSources(known), ...ofContents(known)].sort(
    (a, b) => levels.indexOf(a.level) - levels.indexOf(b.level),
  );
}

function ofProcess({ unready, readiness, metrics }: Known): Notice[] {
  const error = (title: string, text: string): Notice => ({ level: 'error', content: null, title, text });
  const { reload, journal } = readiness ?? {};
  return [
    ...(unready === null ? [] : [error('No content is served', unready)]),
    ...(reload
      ? [error(`The reload failed, and the old content is served: ${timeText(reload.failedAt)}`, reload.error)]
      : []),
    ...(journal === undefined ? [] : [error('The journal takes no more changes', journal)]),
    ...counted.flatMap(([name, title]) => {
      const count = sumOf(metrics, name) ?? 0;
      return count > 0 ? [{ level: 'warning', content: null, title: title(count), text: '' } as const] : [];
    }),
  ];
}

function ofSources({ readiness }: Known): Notice[] {
  return (readiness?.sources ?? []).flatMap(({ content, error, failuresInARow: failures }) => {
    if (!error) return [];
    const title = `The source cannot be read: ${timeText(error.failedAt)}, ${failures} ${failures === 1 ? 'failure' : 'failures in a row'}`;
    return [{ level: 'error', content, title, text: error.message } as const];
  });
}

function ofContents({ status, readiness, contents }: Known): Notice[] {
  const broken = contents.flatMap(({ name, base, error }): Notice[] => {
    const title = base === undefined ? 'It could not be loaded' : `The changes of the preview do not fit “${base}”`;
    return error === null ? [] : [{ level: 'error', content: name, title, text: error }];
  });
  const warnings = status.contents.flatMap(({ name, warnings = [] }) =>
    warnings.map(({ kind, count, message }): Notice => {
      const title = count === 1 ? kind : `${kind}, ${countText(count)} times`;
      return { level: 'warning', content: name, title, text: message };
    }),
  );
  const pinned = (readiness?.pinned ?? []).map(({ content, version, since }): Notice => {
    const text = 'Changes and reloads go on, and readers do not see them.';
    return { level: 'note', content, title: `Pinned to ${version} since ${timeText(since)}`, text };
  });
  return [...broken, ...warnings, ...pinned];
}
