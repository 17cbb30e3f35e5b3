/** Answers `/_explain`: how the content answers a path below its prefix. */
import type { Format } from '../../engine/bound-request.ts';
import type { StoreEngine } from '../../engine/store-engine.ts';
import type { Caller } from '../../model/access/permissions.ts';
import { jsonHeaders, noStore, type Reply } from '../../query/reply/reply.ts';

/**
 * Returns the reply for a caller. A path that the caller may not read, or whose query is rejected, gets the error that it
 * has itself. Callers with full access get the plan; others get the times of the stages only, because a plan counts rows
 * that they may not see.
 */
export function explainReply(
  engine: StoreEngine,
  path: string,
  caller: Caller,
  format: Format,
  isFull: boolean,
): Reply {
  // counting the rows of each part of a plan takes as much as the query, and is not charged
  const { stages, ...rest } = engine.explain(path, caller, format, isFull);
  if (rest.status >= 400) return engine.answer(path, caller, format);
  const times = stages.map(({ stage, microseconds }) => ({ stage, microseconds }));
  const shown = isFull ? { ...rest, stages } : { status: rest.status, stages: times, bytes: rest.bytes };
  const headers = { ...jsonHeaders, ...engine.headers.with({ 'Cache-Control': noStore }) };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(shown)) };
}
