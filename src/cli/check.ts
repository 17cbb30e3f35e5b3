import { stat } from 'node:fs/promises';
import type { Content } from '../content/content.ts';
import { openContent } from '../content/open.ts';
import { SnapshotError } from '../core/errors.ts';
import { formatNumber } from '../core/problems.ts';
import { isImage, verifyImage } from '../load/image/read-image.ts';
import type { SourcedConfig } from '../model/settings/read-config.ts';
import { serverWarnings } from '../model/settings/read-config.ts';
import {
  counted,
  Failure,
  inferredLines,
  megabytes,
  printJson,
  printWarnings,
  seconds,
  servedAs,
  table,
} from './report.ts';

/** Loads a snapshot and prints its contents, load time and memory. `json` prints the same as JSON. */
export async function check(snapshot: string, settings: SourcedConfig, { json = false } = {}): Promise<void> {
  const { summary } = await load(snapshot, settings).catch((error: unknown) => {
    if (json && error instanceof SnapshotError) {
      printJson({ loads: false, problemCount: error.count, problems: error.problems });
    }
    throw error;
  });
  const { types } = summary;
  const warnings = [...summary.warnings, ...serverWarnings(settings.config)];
  const memory = process.memoryUsage();
  if (json) {
    const { rss, heapUsed, arrayBuffers } = memory;
    return printJson({ loads: true, ...summary, warnings, memory: { rss, heapUsed, arrayBuffers } });
  }

  const kinds = { collectionType: 'collection', singleType: 'single type' };
  const rows = types.map((type) => [type.uid, type.route, kinds[type.kind], formatNumber(type.entries)]);
  console.log(table([['content type', 'route', 'kind', 'entries'], ...rows], [3]));

  const inferred = inferredLines(summary);
  if (inferred.length > 0) console.log(`\n${inferred.join('\n')}`);
  if (summary.customRoutes.length > 0) console.log(`\ncustom routes: ${summary.customRoutes.join(', ')}`);

  const entries = types.reduce((total, type) => total + type.entries, 0);
  const parts = [
    counted(entries, 'entry', 'entries'),
    counted(types.length, 'content type'),
    counted(summary.components, 'component'),
  ];
  console.log(`\n${parts.join(', ')} (${servedAs(summary)})`);
  console.log(counted(warnings.length, 'warning'));
  const buffers = `${megabytes(memory.heapUsed)} of heap, ${megabytes(memory.arrayBuffers)} of buffers`;
  console.log(`loaded in ${seconds(summary.loadMilliseconds)}; ${megabytes(memory.rss)} resident, ${buffers}`);
  printWarnings(warnings);
}

/** Opens a snapshot. Verifies the SHA-256 of an image, which a start does not. */
async function load(snapshot: string, { config, sourceOf }: SourcedConfig): Promise<Content> {
  const content = await openContent(snapshot, { ...config, uploads: false }, sourceOf);
  if ((await stat(snapshot)).isFile() && (await isImage(snapshot))) await verifyImage(snapshot);
  return content;
}

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
  const explanation = content.explain(url, { role });
  const { status, plan, page, stages, cost, bytes } = explanation;
  if (json) {
    const error = status >= 400 ? JSON.parse(plan).error : undefined;
    printJson({ url, role: role ?? null, ...explanation, plan: error ? null : plan, error });
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
