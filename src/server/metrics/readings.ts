/** Rows of the table of metrics, and their form for prom-client's registry. */

export interface Sample {
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

/** A value without labels, or samples. Null gives no sample. */
export type Reading = number | boolean | null | readonly Sample[];

/** A row of the table. A name that ends with `_total` is that of a counter, any other that of a gauge. */
export type Row = readonly [name: string, help: string, read: () => Reading];

/** A metric with the part of prom-client's interface that its registry uses. */
export interface ScrapedMetric {
  readonly name: string;
  get(): object;
}

/** Metrics of the whole process, which the coordinating thread knows. */
export function ofProcess(...rows: readonly Row[]): ScrapedMetric[] {
  return rows.map((row) => scraped(row, 'first'));
}

/** Metrics of each thread, which are added up. */
export function ofThread(...rows: readonly Row[]): ScrapedMetric[] {
  return rows.map((row) => scraped(row, 'sum'));
}

function scraped([name, help, read]: Row, aggregator: 'first' | 'sum'): ScrapedMetric {
  const type = name.endsWith('_total') ? 'counter' : 'gauge';
  return { name, get: () => ({ name, help, type, aggregator, values: samplesOf(read()) }) };
}

function samplesOf(reading: Reading): readonly Sample[] {
  if (reading === null) return [];
  return typeof reading === 'object' ? reading : [{ labels: {}, value: Number(reading) }];
}

/** Returns the samples of each content, labelled with its name if there are several or `labelsAll` is set. */
export function labelled<Of>(
  contents: readonly (readonly [name: string, of: Of])[],
  labelsAll: boolean,
  read: (of: Of) => Reading,
): Sample[] {
  const hasLabel = labelsAll || contents.length > 1;
  return contents.flatMap(([content, of]) =>
    samplesOf(read(of)).map(({ labels, value }) => ({ labels: hasLabel ? { content, ...labels } : labels, value })),
  );
}

/** Returns a sample for each value of a label. */
export function byLabel(label: string, values: Iterable<readonly [string | number, number]>): Sample[] {
  return Array.from(values, ([key, value]) => ({ labels: { [label]: key }, value }));
}

export function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1000;
}

/** `time` is in milliseconds since 1970. */
export function secondsSince(time: number | null): number | null {
  return time === null ? null : Math.max(0, (Date.now() - time) / 1000);
}
