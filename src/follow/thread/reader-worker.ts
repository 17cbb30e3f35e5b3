/** The code of a thread that reads a source: it sends each content that is loaded, and each change. */
import { workerData } from 'node:worker_threads';
import { SnapshotError } from '../../core/errors.ts';
import { allocatorFor } from '../../core/memory/allocator.ts';
import { callParent, lowerPriority, runTasks } from '../../core/threads.ts';
import { failureOf, type LoadFailure, type LoadMessage, sendSnapshot } from '../../load/thread/described-snapshot.ts';
import { prepareDigests } from '../../store/writer/rows/row-digest.ts';
import type { ReadingEvents, SourceReader } from '../source-reader.ts';
import type { ReaderFunctions, ReaderModule, ReadTask } from './reader-host.ts';
import type { ReaderStart } from './reader-threads.ts';

const { kind, readers, loads } = workerData as ReaderStart;
// reading a publication is little work, and where all processors are busy, a replica would stay behind
if (kind !== 'publication') lowerPriority();
let reader: SourceReader | null = null;

const functions: ReaderFunctions = {
  async next() {
    try {
      // a load creates the reader, a reset ends it
      if (!reader) throw new SnapshotError(['the reader was closed']);
      return { kind: 'next', change: await reader.next() };
    } catch (error) {
      return failed(error);
    }
  },
  hint: (body) => reader?.hint(body),
  async reset() {
    const closed = reader;
    reader = null;
    await closed?.close();
  },
};

const main = callParent<ReadingEvents, ReaderFunctions>(functions, ['unchanged', 'access', 'warned', 'signOfLife']);

const { createReader } = (await import(readers)) as ReaderModule;
await prepareDigests();
await runTasks(loads, load);

async function load({ source, options: { isShared, ...options } }: ReadTask): Promise<LoadMessage> {
  try {
    reader ??= await createReader(
      source,
      (readAt, isStandby) => void main.unchanged(readAt, isStandby),
      (access) => void main.access(access),
      (message) => void main.warned(message),
    );
    const loaded = await reader.load({ ...options, allocator: allocatorFor(isShared) });
    return await sendSnapshot(loads, loaded);
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): LoadFailure {
  void reader?.fileChange?.().then((isChanged) => {
    if (isChanged) main.signOfLife();
  });
  return failureOf(error);
}
