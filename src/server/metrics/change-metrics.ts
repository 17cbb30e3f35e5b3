import type { ChangeFigures } from '../../content/live/change-writer.ts';
import { byLabel, counter, gauge, metric, type Sample, type ScrapedMetric, single } from './scraped-metric.ts';
import type { ServerState } from './server-state.ts';

export function reloadMetrics({ reloads }: ServerState): ScrapedMetric[] {
  return [
    metric('counter', 'lectern_reloads_total', 'Reloads by result: replaced, unchanged or failed', () =>
      byLabel('result', Object.entries(reloads().counts)),
    ),
    gauge('lectern_reload_failed', 'Whether the last reload failed: 1 or 0', () => Number(reloads().failure !== null)),
    gauge('lectern_reload_seconds', 'Duration of the last reload', () => {
      const { milliseconds } = reloads();
      return milliseconds === null ? undefined : milliseconds / 1000;
    }),
  ];
}

export function changeMetrics({ changes }: ServerState): ScrapedMetric[] {
  const ofContents = (read: (figures: ChangeFigures) => Sample[]) => () => {
    const all = changes();
    if (all.length === 1) return read(all[0][1]);
    return all.flatMap(([name, figures]) =>
      read(figures).map(({ labels, value }) => ({ labels: { content: name, ...labels }, value })),
    );
  };
  const refused =
    'Batches that were not applied: wrong (invalid), for another version (conflict) or not written (journal)';
  const age = ({ lastChange }: ChangeFigures) => (lastChange === null ? undefined : (Date.now() - lastChange) / 1000);
  return [
    metric(
      'counter',
      'lectern_changes_batches_total',
      'Batches of changes that were applied',
      ofContents(({ batches }) => single(batches)),
    ),
    metric(
      'counter',
      'lectern_changes_entries_total',
      'Entries that batches wrote or deleted',
      ofContents(({ entities }) => single(entities)),
    ),
    metric(
      'counter',
      'lectern_changes_refused_total',
      refused,
      ofContents(({ failures }) => byLabel('reason', Object.entries(failures))),
    ),
    metric(
      'gauge',
      'lectern_changes_sequence',
      'The number of the last batch since the base of the content',
      ofContents(({ sequence }) => single(sequence)),
    ),
    metric(
      'gauge',
      'lectern_changes_age_seconds',
      'Time since the last batch was applied',
      ofContents((figures) => single(age(figures))),
    ),
    metric(
      'gauge',
      'lectern_journal_bytes',
      'Size of the journal',
      ofContents(({ journal }) => single(journal?.bytes)),
    ),
    metric(
      'gauge',
      'lectern_journal_failed',
      'Whether the journal takes no more changes until the server starts again: 1 or 0',
      ofContents(({ journal }) => single(journal ? Number(journal.failure !== null) : undefined)),
    ),
    metric(
      'counter',
      'lectern_journal_compactions_total',
      'Compactions of the journal by result: finished, abandoned or failed',
      ofContents(({ journal }) => (journal ? byLabel('result', Object.entries(journal.compactions.counts)) : [])),
    ),
    metric(
      'gauge',
      'lectern_journal_compaction_failed',
      'Whether the last compaction of the journal failed: 1 or 0',
      ofContents(({ journal }) => single(journal ? Number(journal.compactions.failure !== null) : undefined)),
    ),
    metric(
      'gauge',
      'lectern_journal_compaction_seconds',
      'Duration of the last compaction of the journal',
      ofContents(({ journal }) => single(secondsOf(journal?.compactions.milliseconds))),
    ),
  ];
}

function secondsOf(milliseconds: number | null | undefined): number | undefined {
  return milliseconds == null ? undefined : milliseconds / 1000;
}

export function eventMetrics({ events }: ServerState): ScrapedMetric[] {
  if (!events) return [];
  return [
    gauge('lectern_event_readers', 'Readers connected to /_events', () => events().readers),
    counter('lectern_events_sent_total', 'Events sent, counted for each reader', () => events().sent),
  ];
}

export function webhookMetrics({ webhook }: ServerState): ScrapedMetric[] {
  if (!webhook) return [];
  return [
    gauge('lectern_webhook_waiting', 'Events that wait for the webhook', () => webhook().waiting),
    counter('lectern_webhook_sent_total', 'Events that the webhook took', () => webhook().sent),
    counter('lectern_webhook_failures_total', 'Tries at which the webhook failed', () => webhook().failed),
  ];
}
