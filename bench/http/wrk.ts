import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connections, type LoadResult, type LoadTask } from './client.ts';

const script = fileURLToPath(new URL('./wrk.lua', import.meta.url));

/** Its connections walk the paths together. Throws where the program is not installed. */
export async function loadWithWrk({ origin, paths, first, seconds }: LoadTask): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-wrk-'));
  try {
    const file = join(folder, 'paths.txt');
    writeFileSync(file, paths.join('\n'));
    const load = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '60s', '-s', script, origin];
    const run = promisify(execFile)('wrk', [...load, '--', file, String(first % paths.length)]);
    const { stdout } = await run.catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new Error('--client wrk needs wrk, which is not installed: apt-get install wrk');
    });
    return JSON.parse(stdout.slice(stdout.indexOf('{'))) as LoadResult;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
