import type { MeasuredContent, ServerState } from './server-state.ts';

export interface Sample {
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

/** A metric with the part of prom-client's interface that its registry uses. */
export interface ScrapedMetric {
  readonly name: string;
  get(): object;
}

export function metric(type: 'counter' | 'gauge', name: string, help: string, read: () => Sample[]): ScrapedMetric {
  return { name, get: () => ({ name, help, type, aggregator: 'first', values: read() }) };
}

/** Marks metrics as those of one thread. */
export function ofThread(...metrics: ScrapedMetric[]): ScrapedMetric[] {
  return metrics.map(({ name, get }) => ({ name, get: () => ({ ...get(), aggregator: 'sum' }) }));
}

/** Returns a sample for each value of a label. */
export function byLabel(label: string, values: Iterable<readonly [string | number, number]>): Sample[] {
  return Array.from(values, ([key, value]) => ({ labels: { [label]: key }, value }));
}

/** A value without labels. Undefined gives no sample. */
export function single(value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

/** Returns the samples of each content, labelled with its name if there are several or `labelsAll` is set. */
export function ofContents(
  { contents, labelsAll }: ServerState,
  read: (content: MeasuredContent) => Sample[],
): Sample[] {
  const all = contents();
  if (all.length === 1 && !labelsAll) return read(all[0][1]);
  return all.flatMap(([name, content]) =>
    read(content).map(({ labels, value }) => ({ labels: { content: name, ...labels }, value })),
  );
}

export function gauge(name: string, help: string, read: () => number | undefined): ScrapedMetric {
  return metric('gauge', name, help, () => single(read()));
}

export function counter(name: string, help: string, read: () => number): ScrapedMetric {
  return metric('counter', name, help, () => single(read()));
}
