import type { Caller } from '../model/access/caller.ts';
import { allPermissions } from '../model/access/permissions.ts';
import { headerPlan, noStore, type Reply } from '../query/reply/reply.ts';
import type { Format } from './bound-request.ts';
import type { StoreEngine } from './store-engine.ts';

/** Answers a path below the prefix. Callers with full access get the plan and the time of each stage in headers. */
export function answerExplained(engine: StoreEngine, path: string, caller: Caller, format: Format): Reply {
  const reply = engine.answer(path, caller, format);
  // a plan counts rows that others may not see
  if (caller.permissions !== allPermissions()) return reply;
  const { plan, stages } = engine.explain(path, caller, format);
  const times = stages.map(({ stage, microseconds }) => `${stage};dur=${microseconds / 1000}`);
  const headers = {
    ...reply.headers,
    'Cache-Control': noStore,
    'X-Lectern-Plan': headerPlan(plan),
    'Server-Timing': times.join(', '),
  };
  // a new object: what sending attached to a cached reply belongs to other headers
  return { status: reply.status, headers, body: reply.body, route: reply.route };
}
