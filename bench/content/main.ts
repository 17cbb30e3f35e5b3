import { answerRequests } from '../task.ts';
import { contents, snapshotOf } from './index.ts';

answerRequests({
  work: ({ name, entries }: { name: string; entries: number }) =>
    snapshotOf(contents.find((content) => content.name === name)!, entries),
});
