import { cpus, totalmem } from 'node:os';

/** Where and when: figures mean nothing without it. */
export interface Machine {
  processor: string;
  cores: number;
  memoryBytes: number;
  node: string;
  platform: string;
  date: string;
}

export function thisMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() || 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** The commit that was measured. */
export function commitLine(commit: { hash: string; isChanged: boolean } | null): string {
  return commit ? `, commit ${commit.hash.slice(0, 7)}${commit.isChanged ? ' with changes' : ''}` : '';
}

export function machineLine({ processor, cores, memoryBytes, node, platform, date }: Machine): string {
  const memory = (memoryBytes / 2 ** 30).toFixed(0);
  return `${date}, ${processor}, ${cores} cores, ${memory} GiB, ${platform}, Node ${node}`;
}
