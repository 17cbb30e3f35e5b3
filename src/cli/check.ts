import { type Config, openOptions } from '../config.ts';
import { open } from '../index.ts';
import { counted, megabytes, number, printWarnings, seconds, table } from './report.ts';

/** Loads a snapshot and prints what is in it, with what it took. */
export async function check(snapshot: string, config: Config): Promise<void> {
  const { summary } = await open(snapshot, openOptions(config));
  const { types } = summary;
  const memory = process.memoryUsage();

  const kinds = { collectionType: 'collection', singleType: 'single type' };
  const rows = types.map((type) => [type.uid, type.route, kinds[type.kind], number(type.entries)]);
  console.log(table([['content type', 'route', 'kind', 'entries'], ...rows], [3]));

  const entries = types.reduce((total, type) => total + type.entries, 0);
  const parts = [
    counted(entries, 'entry', 'entries'),
    counted(types.length, 'content type'),
    counted(summary.components, 'component'),
  ];
  console.log(`\n${parts.join(', ')} (${summary.dialect} dialect)`);
  console.log(counted(summary.warnings.length, 'warning'));
  const buffers = `${megabytes(memory.heapUsed)} of heap, ${megabytes(memory.arrayBuffers)} of buffers`;
  console.log(`loaded in ${seconds(summary.loadMilliseconds)}; ${megabytes(memory.rss)} resident, ${buffers}`);
  printWarnings(summary.warnings);
}
