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

interface Measured {
  machine: Machine;
  /** The commit that was measured. */
  commit: { hash: string; isChanged: boolean } | null;
}

export function machineLine({ machine, commit }: Measured): string {
  const { processor, cores, memoryBytes, node, platform, date } = machine;
  const memory = (memoryBytes / 2 ** 30).toFixed(0);
  const line = `${date}, ${processor}, ${cores} cores, ${memory} GiB, ${platform}, Node ${node}`;
  return commit ? `${line}, commit ${commit.hash.slice(0, 7)}${commit.isChanged ? ' with changes' : ''}` : line;
}

export const titleLine = (measured: Measured): string => `# Benchmarks of Lectern\n\n${machineLine(measured)}`;
