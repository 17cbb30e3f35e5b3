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

/**
 * A histogram of request times by route and status, with the interface of prom-client's histograms. An observation is a
 * lookup and two additions. Samples are only created on a scrape.
 */
export class RequestTimes {
  readonly name = 'lectern_http_request_duration_seconds';
  readonly help = 'Time to answer a request, without its wait in the queue, by route template and status';
  readonly type = 'histogram';
  readonly aggregator = 'sum';
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

  /** Returns the number of requests by status. */
  countsByStatus(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const statuses of this.#routes.values()) {
      for (const [status, series] of statuses) counts.set(status, (counts.get(status) ?? 0) + total(series));
    }
    return counts;
  }

  get(): object {
    const values: Sample[] = [];
    for (const [route, statuses] of this.#routes) {
      for (const [status, series] of statuses) values.push(...this.#samples({ route, status }, series));
    }
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values };
  }

  reset(): void {
    this.#routes.clear();
  }

  #samples(labels: Sample['labels'], { counts, sum }: Series): Sample[] {
    const samples: Sample[] = [];
    let cumulative = 0;
    for (const [bucket, count] of counts.entries()) {
      cumulative += count;
      const le = bucket < bounds.length ? bounds[bucket] / 1000 : '+Inf';
      samples.push({ metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: cumulative });
    }
    samples.push({ metricName: `${this.name}_sum`, labels, value: sum / 1000 });
    samples.push({ metricName: `${this.name}_count`, labels, value: cumulative });
    return samples;
  }
}

function total({ counts }: Series): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
