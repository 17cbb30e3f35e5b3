import type { Content } from './content/content.ts';
import type { Options } from './options.ts';
import type { Progress } from './progress.ts';
import type { Results } from './report/results.ts';

/** A part of the run. It is measured for one content after the other. */
export interface Part {
  /** The packages that it needs with these options. */
  packages(options: Options): string[];
  /** Measures, and puts what it finds into the results. Returns the tables. */
  run(context: Context): Promise<string>;
}

export interface Context {
  options: Options;
  content: Content;
  /** The number of entries, and the folder of the snapshot. */
  entries: number;
  snapshot: string;
  results: Results;
  progress: Progress;
}
