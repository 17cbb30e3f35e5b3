import { readFileSync } from 'node:fs';
import { builtModule, openBuilt } from '../program.ts';
import { answerRequests } from '../task.ts';

/** Reads or opens an image in a process of its own. */

export interface ImageTask {
  kind: 'read' | 'open';
  image: string;
}

export interface ImageStart {
  milliseconds: number;
  processorMilliseconds: number;
  /** Zero for a file that is only read. */
  firstReplyMilliseconds: number;
}

async function measureStart({ kind, image }: ImageTask): Promise<ImageStart> {
  // loading code is not measured
  await import(builtModule('index.js'));
  const processorBefore = process.cpuUsage();
  const started = performance.now();
  const found = kind === 'read' ? readFileSync(image) : await openBuilt(image, { public: true });
  const milliseconds = performance.now() - started;
  const { user, system } = process.cpuUsage(processorBefore);
  const times = { milliseconds, processorMilliseconds: (user + system) / 1000 };
  if (found instanceof Uint8Array) return { ...times, firstReplyMilliseconds: 0 };
  const asked = performance.now();
  const { status } = found.answer('/api/articles', {});
  if (status !== 200) throw new Error(`The first reply has the status ${status}.`);
  return { ...times, firstReplyMilliseconds: performance.now() - asked };
}

answerRequests({ work: measureStart });
