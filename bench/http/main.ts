import { answerTask } from '../task.ts';
import { type HttpTask, measureHttp } from './measure.ts';

answerTask((task: HttpTask) => measureHttp(task, (line) => console.error(`  ${line}`)));
