/** Routes in metrics that are not content routes. `other` covers all URLs without a route of their own. */
export const routeNames = { upstream: 'upstream', uploads: '/uploads', other: 'other' };

/** Upper bounds of the buckets, in milliseconds: from a cached reply to one that blocks all other requests. */
const bounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000];

interface Series {
  /** Counts by bucket. The last bucket has no upper bound. */
  readonly counts: Float64Array;
  /** In milliseconds. */
  sum: number;
}

/** A sample in the format of prom-client's registry. */
interface Sample {
  metricName: string;
  labels: Record<string, string | number>;
  value: number;
}

/** Request times by route and status. An observation is a lookup and two additions. */
export class RouteTimes {
  readonly #routes = new Map<string, Map<number, Series>>();

  observe(route: string, status: number, milliseconds: number): void {
    let statuses = this.#routes.get(route);
    if (!statuses) this.#routes.set(route, (statuses = new Map()));
    let series = statuses.get(status);
    if (!series) statuses.set(status, (series = { counts: new Float64Array(bounds.length + 1), sum: 0 }));
    let bucket = 0;
    while (bucket < bounds.length && milliseconds > bounds[bucket]) bucket++;
    series.counts[bucket]++;
    series.sum += milliseconds;
  }

  /** Adds the number of requests by status to `counts`. */
  addCounts(counts: Map<number, number>): void {
    for (const statuses of this.#routes.values()) {
      for (const [status, series] of statuses) counts.set(status, (counts.get(status) ?? 0) + total(series));
    }
  }

  samples(name: string, labels: Sample['labels']): Sample[] {
    return Array.from(this.#routes).flatMap(([route, statuses]) =>
      Array.from(statuses).flatMap(([status, series]) => samplesOf(name, { ...labels, route, status }, series)),
    );
  }

  clear(): void {
    this.#routes.clear();
  }
}

/**
 * A histogram of request times by route and status, with the interface of prom-client's Histogram, which takes about
 * 4 µs per observation instead of 0.15 µs. Labels the times of one of several contents
 * with its name. Creates samples only on a scrape.
 */
export class RequestTimes {
  readonly name = 'lectern_http_request_duration_seconds';
  readonly help = 'Time to answer a request, without its wait in the queue, by route template and status';
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  /** Requests that no content answers. */
  readonly #own = new RouteTimes();
  readonly #contents = new Map<string, RouteTimes>();
  /** Requests to contents that are gone, by status. */
  readonly #retired = new Map<number, number>();
  readonly #labelsAll: boolean;
  #hasSeveral = false;

  /** `labelsAll`: the times of a single content are labelled, too. */
  constructor(labelsAll = false) {
    this.#labelsAll = labelsAll;
  }

  observe(route: string, status: number, milliseconds: number): void {
    this.#own.observe(route, status, milliseconds);
  }

  /** Returns the times of the requests to a content. A content that replaces another of this name continues them. */
  ofContent(name: string): RouteTimes {
    const known = this.#contents.get(name);
    if (known) return known;
    const times = new RouteTimes();
    this.#contents.set(name, times);
    return times;
  }

  /** Forgets all contents but these. */
  keepContents(names: ReadonlySet<string>): void {
    this.#hasSeveral = names.size > 1;
    for (const [name, times] of this.#contents) {
      if (names.has(name)) continue;
      times.addCounts(this.#retired);
      this.#contents.delete(name);
    }
  }

  /** Returns the number of requests by status. */
  countsByStatus(): Map<number, number> {
    const counts = new Map(this.#retired);
    for (const times of [this.#own, ...this.#contents.values()]) times.addCounts(counts);
    return counts;
  }

  get(): object {
    const { name, help, type, aggregator } = this;
    const values = this.#own.samples(name, {});
    for (const [content, times] of this.#contents) {
      values.push(...times.samples(name, this.#labelsAll || this.#hasSeveral ? { content } : {}));
    }
    return { name, help, type, aggregator, values };
  }

  reset(): void {
    for (const times of [this.#own, ...this.#contents.values()]) times.clear();
  }
}

function samplesOf(name: string, labels: Sample['labels'], { counts, sum }: Series): Sample[] {
  const samples: Sample[] = [];
  let cumulative = 0;
  for (const [bucket, count] of counts.entries()) {
    cumulative += count;
    const le = bucket < bounds.length ? bounds[bucket] / 1000 : '+Inf';
    samples.push({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: cumulative });
  }
  samples.push({ metricName: `${name}_sum`, labels, value: sum / 1000 });
  samples.push({ metricName: `${name}_count`, labels, value: cumulative });
  return samples;
}

function total({ counts }: Series): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
