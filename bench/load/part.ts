import type { Part } from '../part.ts';
import { peerNamed } from '../peers/index.ts';
import { loadReport } from '../report/load.ts';
import { measureLoad } from './measure.ts';

export const load: Part = {
  packages: ({ peers }) => peers.flatMap((name) => peerNamed(name).packages ?? []),
  async run({ options: { peers, rounds }, content, entries, snapshot, results, progress }) {
    const result = await measureLoad({ content: content.name, snapshot, entries, peers, rounds }, progress);
    results.load.push(result);
    return loadReport(result);
  },
};
