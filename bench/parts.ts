import { totalmem } from 'node:os';
import type { Content } from './content/index.ts';
import { servers } from './http/cases.ts';
import { measureHttp } from './http/measure.ts';
import { measureInprocess } from './inprocess/measure.ts';
import { measureLoad } from './load/measure.ts';
import { isChosen, type Options, type PartName } from './options.ts';
import { peerNamed } from './peers/index.ts';
import type { Progress } from './progress.ts';
import { queries } from './queries/index.ts';
import { httpReport } from './report/http.ts';
import { inprocessReport } from './report/inprocess.ts';
import { loadReport } from './report/load.ts';
import type { Results } from './report/results.ts';

/** A part of the run. It is measured for one content after the other. */
interface Part {
  /** The packages that it needs with these options. */
  packages(options: Options): string[];
  /** Measures, and puts what it finds into the results. Returns the tables, which are empty if nothing was chosen. */
  run(context: Context): Promise<string>;
}

interface Context {
  options: Options;
  content: Content;
  /** The number of entries, and the folder of the snapshot. */
  entries: number;
  snapshot: string;
  results: Results;
  progress: Progress;
}

const packagesOfPeers = ({ peers }: Options) => peers.flatMap((name) => peerNamed(name).packages ?? []);

export const parts: Record<PartName, Part> = {
  inprocess: {
    packages: packagesOfPeers,
    async run({ options, content: { name, main }, entries, snapshot, results, progress }) {
      const chosen = queries.filter((query) => query.content === name && isChosen(query, options));
      if (chosen.length === 0) return '';
      const { peers, sets, rounds } = options;
      const asked = { queries: chosen.map((query) => query.name), peers, sets, rounds, heapBytes: totalmem() };
      const result = await measureInprocess({ content: name, main, entries, snapshot, ...asked }, progress);
      results.inprocess.push(result);
      return inprocessReport(result);
    },
  },
  http: {
    packages: ({ client, servers: chosen }) => [
      ...(client === 'autocannon' ? [client] : []),
      ...servers.flatMap(({ name, packages = [] }) => (chosen.includes(name) ? packages : [])),
    ],
    async run({ options, content: { name }, entries, snapshot, results, progress }) {
      if (!queries.some((query) => query.content === name && query.http)) return '';
      const { servers, client, seconds, rounds, rate } = options;
      const task = { content: name, entries, snapshot, servers, client, seconds, rounds, rate };
      const result = await measureHttp(task, progress);
      results.http.push(result);
      return httpReport(result);
    },
  },
  load: {
    packages: packagesOfPeers,
    async run({ options: { peers, rounds }, content: { name }, entries, snapshot, results, progress }) {
      const result = await measureLoad({ content: name, snapshot, entries, peers, rounds }, progress);
      results.load.push(result);
      return loadReport(result);
    },
  },
};
