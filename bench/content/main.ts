import { answerTask } from '../task.ts';
import { contents, snapshotOf } from './index.ts';

answerTask(({ name, entries }: { name: string; entries: number }) =>
  snapshotOf(contents.find((content) => content.name === name)!, entries),
);
