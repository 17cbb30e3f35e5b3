import type { Part } from '../part.ts';
import { loadReport } from '../report/load.ts';
import { measureLoad } from './measure.ts';

export const load: Part = {
  packages: () => [],
  async run({ options, content, entries, snapshot, results, progress }) {
    if (content.name !== 'magazine') return '';
    const result = await measureLoad({ snapshot, entries, repeat: options.rounds }, (line) => progress.say(line));
    results.load.push(result);
    return loadReport(result);
  },
};
