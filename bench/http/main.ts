import { Progress } from '../progress.ts';
import { answerTask } from '../task.ts';
import { type HttpTask, measureHttp } from './measure.ts';

const progress = new Progress((line) => console.error(`bench: ${line}`));
answerTask((task: HttpTask) => measureHttp(task, progress));
