/**
 * Upper bounds of the buckets, in milliseconds: from a reply that is at hand to one that holds up all others.
 */
const bounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000];

interface Series {
  /** By bucket, the last for all that is above the bounds. */
  readonly counts: Float64Array;
  /** In milliseconds. */
  sum: number;
}

/** A sample as the registry prints it. */
interface Sample {
  metricName: string;
  labels: Record<string, string | number>;
  value: number;
}

/**
 * A histogram of request times by route and status. To observe is a lookup and two additions; what Prometheus wants is
 * made of it when it asks, in the form of prom-client's own histograms.
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

  /** How many requests there were, by status. */
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
    let below = 0;
    for (const [bucket, count] of counts.entries()) {
      below += count;
      const le = bucket < bounds.length ? bounds[bucket] / 1000 : '+Inf';
      samples.push({ metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: below });
    }
    samples.push({ metricName: `${this.name}_sum`, labels, value: sum / 1000 });
    samples.push({ metricName: `${this.name}_count`, labels, value: below });
    return samples;
  }
}

function total({ counts }: Series): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
