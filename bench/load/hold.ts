import { type BuiltReply, openBuilt } from '../program.ts';
import { answerRequests } from '../task.ts';
import { badQueries } from './bad-queries.ts';

/** How long a query keeps all other requests waiting, as a reply is computed synchronously. */
export interface Hold {
  title: string;
  path: string;
  status: number;
  bytes: number;
  /** Of each run. The first is made before anything is compiled. */
  milliseconds: number[];
}

const runs = 5;

async function measureHolds({ content, snapshot }: { content: string; snapshot: string }): Promise<Hold[]> {
  const lectern = await openBuilt(snapshot, { cacheBytes: 0 });
  return Object.entries(badQueries[content]).map(([title, path]) => {
    const milliseconds: number[] = [];
    let reply: BuiltReply | undefined;
    for (let run = 0; run < runs; run++) {
      const started = performance.now();
      reply = lectern.answer(`/api/${path}`, {});
      milliseconds.push(performance.now() - started);
    }
    return { title, path, status: reply!.status, bytes: reply!.body.length, milliseconds };
  });
}

answerRequests({ work: measureHolds });
