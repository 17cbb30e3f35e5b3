/**
 * The metrics that are read from the state of the server on each scrape, in the order of the reply. If several threads
 * serve, the coordinating thread knows the metrics of the process. Metrics of each thread are added up.
 */
import { readFileSync } from 'node:fs';
import { contentMetrics } from './content-metrics.ts';
import { byLabel, ofProcess, ofThread, type ScrapedMetric, seconds } from './readings.ts';
import type { RequestTimes } from './request-times.ts';
import type { ServerState } from './server-state.ts';

/** Returns the metrics. A part that the server does not have, such as a rate limit, has no metrics. */
export function scrapedMetrics(state: ServerState, times: RequestTimes): ScrapedMetric[] {
  const { queue, versionWaits, codecs, reloads, events, webhook, threads, limitedAddresses } = state;
  const { version, node, commit } = readBuild();
  return [
    ...ofThread(['lectern_http_replies_total', 'Replies by status', () => byLabel('status', times.countsByStatus())]),
    ...ofProcess(
      [
        'lectern_log_lost_lines_total',
        'Log lines that could not be written, because the disk is full or the pipe is closed',
        () => state.lostLogLines(),
      ],
      ['lectern_ready', 'Whether content is served: 1 or 0', () => state.isReady()],
    ),
    ...ofThread(
      ['lectern_connections', 'Open connections', () => state.connections()],
      ['lectern_http_waiting_requests', 'Requests in the queue', () => queue().waiting],
      ['lectern_http_waiting_bytes', 'Memory of queued requests in bytes', () => queue().waitingBytes],
      [
        'lectern_http_refused_requests_total',
        'Requests answered with 503 because the queue was full',
        () => queue().refused,
      ],
      [
        'lectern_http_version_waits',
        'Requests in the queue that wait for a version (X-Lectern-At-Least)',
        () => versionWaits().waiting,
      ],
      [
        'lectern_http_version_timeouts_total',
        'Requests answered with 503 because their version was not served in time',
        () => versionWaits().timedOut,
      ],
      [
        'lectern_unsent_bytes',
        'Bytes of large replies, before compression, that are not yet sent',
        () => state.unsentBytes(),
      ],
    ),
    ...ofProcess(
      [
        'lectern_reloads_total',
        'Reloads by result: replaced, unchanged or failed',
        () => byLabel('result', Object.entries(reloads().counts)),
      ],
      ['lectern_reload_failed', 'Whether the last reload failed: 1 or 0', () => reloads().failure !== null],
      ['lectern_reload_seconds', 'Duration of the last reload', () => seconds(reloads().milliseconds)],
    ),
    ...(limitedAddresses
      ? ofProcess(
          [
            'lectern_rate_limit_addresses',
            'Client addresses with a rate limit counter of their own',
            () => limitedAddresses().addresses,
          ],
          [
            'lectern_rate_limit_shared_total',
            'Requests counted in a shared rate limit counter, because there are too many addresses',
            () => limitedAddresses().shared,
          ],
        )
      : []),
    ...(events
      ? ofProcess(
          ['lectern_event_readers', 'Readers connected to /_events', () => events().readers],
          ['lectern_events_sent_total', 'Events sent, counted for each reader', () => events().sent],
        )
      : []),
    ...(webhook
      ? ofProcess(
          ['lectern_webhook_waiting', 'Events that wait for the webhook', () => webhook().waiting],
          ['lectern_webhook_sent_total', 'Events that the webhook took', () => webhook().sent],
          ['lectern_webhook_failures_total', 'Tries at which the webhook failed', () => webhook().failed],
        )
      : []),
    ...(threads
      ? ofProcess(
          ['lectern_threads', 'Threads that answer requests', () => threads().answering],
          ['lectern_threads_restarted_total', 'Threads that ended unexpectedly', () => threads().restarted],
        )
      : []),
    ...ofThread(
      [
        'lectern_compressions',
        'Replies being compressed or queued for compression',
        () => byLabel('state', Object.entries(pick(codecs(), 'running', 'waiting'))),
      ],
      [
        'lectern_compressions_skipped_total',
        'Replies not compressed because the queue was full (full) or the clients had disconnected (gone)',
        () => byLabel('reason', Object.entries(pick(codecs(), 'full', 'gone'))),
      ],
    ),
    ...ofProcess([
      'lectern_build_info',
      'The version of the running server. Always 1',
      () => [{ labels: { version, node, commit }, value: 1 }],
    ]),
    ...contentMetrics(state),
  ];
}

function pick<Figures, Key extends keyof Figures>(figures: Figures, ...keys: Key[]): Pick<Figures, Key> {
  return Object.fromEntries(keys.map((key) => [key, figures[key]])) as Pick<Figures, Key>;
}

/** The version of the running server. `commit` is empty if it is unknown. */
interface Build {
  readonly version: string;
  readonly node: string;
  readonly commit: string;
}

const root = new URL('../../../', import.meta.url);

/** Reads the version from package.json, and the commit from LECTERN_COMMIT or the Git clone. */
function readBuild(environment = process.env): Build {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  return { version, node: process.versions.node, commit: environment.LECTERN_COMMIT || commitOfClone() };
}

function commitOfClone(): string {
  try {
    const head = readFileSync(new URL('.git/HEAD', root), 'utf8').trim();
    const [, branch] = /^ref: (refs\/[\w./-]+)$/.exec(head) ?? [];
    return branch === undefined ? head : readFileSync(new URL(`.git/${branch}`, root), 'utf8').trim();
  } catch {
    // not a clone, or a clone with packed references
    return '';
  }
}
