import { openContent } from '../content/open.ts';
import { formatNumber } from '../core/problems.ts';
import type { SourcedConfig } from '../model/settings/read-config.ts';
import { Failure, printJson, table } from './report.ts';

/** Number of requests before the reported one, so that code is compiled and caches are warm, as in a server. */
const warmUps = 20;

export interface ExplainFlags {
  /** The role of the caller. Without it, the caller may read everything that is not private. */
  role?: string;
  json?: boolean;
}

/** Loads a snapshot and prints the plan, the page strategy, and the time and cost of each stage for a URL. */
export async function explain(
  snapshot: string,
  url: string,
  { config, sourceOf }: SourcedConfig,
  { role, json }: ExplainFlags,
): Promise<void> {
  const content = await openContent(snapshot, { ...config, uploads: false }, sourceOf);
  for (let i = 0; i < warmUps; i++) content.explain(url, { role });
  const { status, plan, page, stages, cost, bytes } = content.explain(url, { role });
  if (json) {
    const error = status >= 400 ? JSON.parse(plan).error : undefined;
    printJson({ url, role: role ?? null, status, plan: error ? null : plan, page, stages, cost, bytes, error });
    if (error) process.exitCode = 1;
    return;
  }
  if (status >= 400) throw new Failure(`${url} is answered with ${status}: ${plan}`);
  console.log(plan === '' ? 'every visible row\n' : plan);
  if (page) console.log(`page: ${page}\n`);
  const rows = stages.map(({ stage, microseconds, cost }) => [stage, formatNumber(microseconds), formatNumber(cost)]);
  console.log(table([['stage', 'microseconds', 'cost'], ...rows], [1, 2]));
  if (cost) console.log(`\ncost ${formatNumber(cost.total)} of at most ${formatNumber(cost.limit)}`);
  console.log(`\n${formatNumber(bytes)} bytes`);
}
