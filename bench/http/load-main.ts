import { answerRequests } from '../task.ts';
import { loadHere } from './loads.ts';

answerRequests({ work: loadHere });
