import { type BuiltReply, openBuilt } from '../program.ts';
import { answerTask } from '../task.ts';
import { badQueries } from './bad-queries.ts';

/** How long a query keeps every other request waiting: replies are made without a pause. */
export interface Hold {
  title: string;
  status: number;
  bytes: number;
  /** The longest and the shortest of the runs, in milliseconds. */
  longest: number;
  shortest: number;
}

const runs = 5;

async function measureHolds({ snapshot }: { snapshot: string }): Promise<Hold[]> {
  const content = await openBuilt(snapshot, { cacheBytes: 0 });
  return Object.entries(badQueries).map(([title, path]) => {
    const times: number[] = [];
    let reply: BuiltReply | undefined;
    for (let run = 0; run < runs; run++) {
      const started = performance.now();
      reply = content.answer(`/api/${path}`, {});
      times.push(performance.now() - started);
    }
    const [longest, shortest] = [Math.max(...times), Math.min(...times)];
    return { title, status: reply!.status, bytes: reply!.body.length, longest, shortest };
  });
}

answerTask(measureHolds);
