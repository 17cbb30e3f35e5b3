// Metrics of several threads are added up, and those of the process are taken once.
import { expect, test } from 'vitest';
import { Metrics, type Samples } from '../../src/server/metrics/metrics.ts';
import { RequestTimes } from '../../src/server/metrics/request-times.ts';
import { addUpMetrics, keepContents, retireCounters } from '../../src/server/threads/add-up-metrics.ts';
import { samples } from '../support/server.ts';

/** The metrics of a thread that has answered requests, with open connections. */
function metricsOf(requests: number, connections: number): { metrics: Metrics; times: RequestTimes } {
  const times = new RequestTimes();
  for (let i = 0; i < requests; i++) times.observe('/api/things', 200, 1);
  const state = {
    contents: () => [],
    labelsAll: false,
    isReady: () => connections > 0,
    connections: () => connections,
    unsentBytes: () => 0,
    lostLogLines: () => 3,
    codecs: () => ({ running: 1, waiting: 0, full: 0, gone: 0 }),
    queue: () => ({ waiting: 0, waitingBytes: 0, refused: requests }),
    versionWaits: () => ({ waiting: 0, timedOut: 0 }),
    reloads: () => ({ counts: { replaced: 1, unchanged: 0, failed: 0 }, milliseconds: null, failure: null }),
    events: () => ({ readers: 2, sent: 5 }),
    sources: () => [],
    changes: () => [],
    webhook: null,
    limitedAddresses: () => ({ addresses: 7, shared: 0 }),
    threads: () => ({ answering: 2, restarted: 1 }),
  };
  return { metrics: new Metrics(state, times), times };
}

const count = 'lectern_http_request_duration_seconds_count{route="/api/things",status="200"}';

test('adds counters and gauges of threads, and takes those of the process once', async () => {
  const coordinator = await metricsOf(0, 5).metrics.samples();
  const threads = await Promise.all([metricsOf(10, 2), metricsOf(20, 0)].map(({ metrics }) => metrics.samples()));
  const text = await addUpMetrics(coordinator, structuredClone(threads), new Set());
  const found = samples(text);
  expect(found.get(count)).toBe(30);
  expect(found.get('lectern_http_replies_total{status="200"}')).toBe(30);
  expect(found.get('lectern_http_refused_requests_total')).toBe(30);
  expect(found.get('lectern_connections')).toBe(7);
  expect(found.get('lectern_compressions{state="running"}')).toBe(3);
  // of the process
  expect(found.get('lectern_ready')).toBe(1);
  expect(found.get('lectern_log_lost_lines_total')).toBe(3);
  expect(found.get('lectern_rate_limit_addresses')).toBe(7);
  expect(found.get('lectern_event_readers')).toBe(2);
  expect(found.get('process_start_time_seconds')).toBeGreaterThan(1e9);
  const memory = coordinator.find(({ name }) => name === 'process_resident_memory_bytes')!.values[0].value;
  expect(found.get('process_resident_memory_bytes')).toBe(memory);
});

test('has the metrics of one thread, in the same order', async () => {
  const { metrics } = metricsOf(1, 1);
  const names = (text: string) => text.split('\n').filter((line) => line.startsWith('# TYPE'));
  const own = await metrics.samples();
  expect(names(await addUpMetrics(own, [own, own], new Set()))).toEqual(names(await metrics.text()));
});

test('takes the delay of the event loop from the slowest thread', async () => {
  const lag = (value: number) => {
    const metric = { name: 'nodejs_eventloop_lag_p99_seconds', help: 'x', type: 'gauge', aggregator: 'average' };
    return [{ ...metric, values: [{ value, labels: {} }] }] as unknown as Samples;
  };
  const found = samples(await addUpMetrics(lag(0.1), [lag(0.5), lag(0.2)], new Set()));
  expect(found.get('nodejs_eventloop_lag_p99_seconds')).toBe(0.5);
});

test('keeps what a thread counted before it ended, without its gauges', async () => {
  const ended = await Promise.all([metricsOf(10, 2), metricsOf(20, 1)].map(({ metrics }) => metrics.samples()));
  let retired: Samples = [];
  for (const samples of ended) retired = retireCounters(retired, samples);
  const coordinator = await metricsOf(0, 0).metrics.samples();
  const last = await metricsOf(5, 4).metrics.samples();
  const found = samples(await addUpMetrics(coordinator, [retired, last], new Set()));
  expect(found.get(count)).toBe(35);
  expect(found.get('lectern_http_request_duration_seconds_bucket{le="+Inf",route="/api/things",status="200"}')).toBe(
    35,
  );
  expect(found.get('lectern_connections')).toBe(4);
});

test('labels the metrics of each content only while there are several, and forgets those of contents that are gone', async () => {
  const samplesOf = (counts: Record<string, number>) => {
    const times = new RequestTimes(true);
    for (const [name, count] of Object.entries(counts)) {
      for (let i = 0; i < count; i++) times.ofContent(name).observe('/api/things', 200, 1);
    }
    return [times.get()] as Samples;
  };
  const threads = [samplesOf({ main: 2, a: 1 }), samplesOf({ main: 3, a: 1, b: 7 })];
  const own = [new RequestTimes().get()] as Samples;
  const counts = async (names: string[]) => {
    const found = samples(await addUpMetrics(own, threads, new Set(names)));
    return Object.fromEntries([...found].filter(([name]) => name.includes('_count')));
  };
  const labelled = (name: string) => count.replace('{', `{content="${name}",`);
  expect(await counts(['main', 'a'])).toEqual({ [labelled('main')]: 5, [labelled('a')]: 2 });
  expect(await counts(['main'])).toEqual({ [count]: 5 });
  const retired = keepContents(retireCounters([], threads[1]), new Set(['main', 'b']));
  expect(samples(await addUpMetrics(own, [retired], new Set(['main', 'a', 'b']))).get(labelled('a'))).toBeUndefined();
});
