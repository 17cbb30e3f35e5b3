import { AggregatorRegistry } from 'prom-client';
import type { Samples } from '../metrics/metrics.ts';

type Sample = Samples[number]['values'][number];

/**
 * Returns the metrics of a process in the text format of Prometheus: those of the coordinating thread and those of the
 * threads that answer, added up. The delay of the event loop is that of the slowest thread. `contents` names the
 * contents of the process. Threads label the metrics of each content. The label stays only if there are several contents.
 */
export function addUpMetrics(
  coordinator: Samples,
  threads: readonly Samples[],
  contents: ReadonlySet<string>,
): Promise<string> {
  const own = coordinator.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric) }));
  const others = threads.map((samples) => {
    // the first list decides how a metric is added up
    const added = keepContents(
      samples.filter((metric) => aggregatorOf(metric) !== 'first'),
      contents,
    );
    return contents.size > 1 ? added : withoutLabel(added);
  });
  return AggregatorRegistry.aggregate([own, ...others]).metrics();
}

/** Drops samples that are labelled with another content. */
export function keepContents(samples: Samples, contents: ReadonlySet<string>): Samples {
  const isKept = ({ labels: { content } }: Sample) => content === undefined || contents.has(String(content));
  return samples.map((metric) => ({ ...metric, values: metric.values.filter(isKept) }));
}

function withoutLabel(samples: Samples): Samples {
  const unlabelled = ({ labels: { content, ...labels }, ...sample }: Sample) => ({ ...sample, labels });
  return samples.map((metric) => ({ ...metric, values: metric.values.map(unlabelled) }));
}

/** Adds the counters of an ended thread to those of earlier ones, so that no counter ever decreases. */
export function retireCounters(earlier: Samples, ended: Samples): Samples {
  const counters = ended.filter((metric) => isCounter(metric) && aggregatorOf(metric) === 'sum');
  // the added metrics hold their values themselves
  return AggregatorRegistry.aggregate([earlier, counters]).getMetricsAsArray() as unknown as Samples;
}

function isCounter({ type }: Samples[number]): boolean {
  // its types are a numeric enumeration, but their values are names
  return ['counter', 'histogram'].includes(type as unknown as string);
}

/** Returns how prom-client combines a metric of several threads. `first` is the value of the coordinating thread. */
function aggregatorOf({ name, aggregator }: Samples[number]): Samples[number]['aggregator'] {
  if (name.startsWith('process_')) return 'first';
  if (name.startsWith('nodejs_eventloop_lag_') && aggregator !== 'min') return 'max';
  return aggregator;
}
