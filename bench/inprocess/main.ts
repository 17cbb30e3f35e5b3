import { answerTask } from '../task.ts';
import { type InprocessTask, measureInprocess } from './measure.ts';

answerTask((task: InprocessTask) => measureInprocess(task, (line) => console.error(`  ${line}`)));
