import { totalmem } from 'node:os';
import { isChosen } from '../options.ts';
import type { Part } from '../part.ts';
import { peerNamed } from '../peers/index.ts';
import { queries } from '../queries/index.ts';
import { inprocessReport } from '../report/inprocess.ts';
import { measureInprocess } from './measure.ts';

export const inprocess: Part = {
  packages: ({ peers }) => peers.flatMap((name) => peerNamed(name).packages ?? []),
  async run({ options, content, entries, snapshot, results, progress }) {
    const chosen = queries.filter((query) => query.content === content.name && isChosen(query, options));
    if (chosen.length === 0) return '';
    const { peers, sets, rounds } = options;
    const names = chosen.map(({ name }) => name);
    const task = { content: content.name, main: content.main, entries, snapshot, queries: names, peers, sets, rounds };
    const result = await measureInprocess({ ...task, heapBytes: totalmem() }, progress);
    results.inprocess.push(result);
    return inprocessReport(result);
  },
};
