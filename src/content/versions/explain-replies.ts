/** Answers `/_explain`: how the content answers a path below its prefix. */
import type { StoreEngine } from '../../engine/store-engine.ts';
import type { Explanation } from '../../engine/trace.ts';
import { allPermissions, type Caller } from '../../model/access/permissions.ts';
import { jsonHeaders, noStore, type Reply } from '../../query/reply/reply.ts';

/**
 * Returns the reply for a caller. A path that the caller may not read, or whose query is rejected, gets the error that it
 * has itself. Callers with full access get the plan; others get the times of the stages only, because a plan counts rows
 * that they may not see.
 */
export function explainReply(engine: StoreEngine, answered: Reply, explain: () => Explanation, caller: Caller): Reply {
  if (answered.status >= 400) return answered;
  const { stages, ...rest } = explain();
  const times = stages.map(({ stage, microseconds }) => ({ stage, microseconds }));
  const isFull = caller.permissions === allPermissions();
  const shown = isFull ? { ...rest, stages } : { status: rest.status, stages: times, bytes: rest.bytes };
  const headers = { ...jsonHeaders, ...engine.headers.with({ 'Cache-Control': noStore }) };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(shown)) };
}
