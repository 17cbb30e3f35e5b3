import { answerTask } from '../task.ts';
import { type LoadTask, loadHere } from './loads.ts';

answerTask((task: LoadTask) => loadHere(task));
