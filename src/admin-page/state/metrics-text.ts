/** The metrics of `GET /_metrics`, in the text format of Prometheus. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A name, labels, a value and perhaps a time. Values of labels may hold any character but a line feed. */
const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/s;

/** Returns the samples of a text. Lines that are none are left out. */
export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [found, name, labels = '', value] = sampleLine.exec(line) ?? [];
    return found === undefined ? [] : [{ name, labels: parseLabels(labels), value: Number(value) }];
  });
}

function parseLabels(text: string): Record<string, string> {
  const labels = text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gs);
  return Object.fromEntries(
    Array.from(labels, ([, name, value]) => [
      name,
      value.replaceAll(/\\(.)/gs, (_, escaped) => (escaped === 'n' ? '\n' : escaped)),
    ]),
  );
}

/** Returns the sum of the samples of a name, or null if there are none. */
export function sumOf(samples: readonly Sample[], name: string): number | null {
  const found = samples.filter((sample) => sample.name === name);
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}
