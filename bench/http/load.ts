import { answerTask } from '../task.ts';
import { loadWithAutocannon } from './autocannon.ts';
import type { LoadTask } from './client.ts';
import { loadWithWrk } from './wrk.ts';

/** Loads a server from a process of its own: one thread, so that the server has the other core. */

const clients = { autocannon: loadWithAutocannon, wrk: loadWithWrk };

answerTask((task: LoadTask) => clients[task.client](task));
