import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connections, type LoadResult, type LoadTask } from './loads.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('./wrk.lua', import.meta.url));

/** All connections go through one list of paths together. wrk takes whole seconds only. */
export async function loadWithWrk({ origin, paths, first, seconds, headers = {} }: LoadTask): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-wrk-'));
  try {
    const file = join(folder, 'paths.txt');
    writeFileSync(file, paths.join('\n'));
    const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const options = [
      '-t1',
      `-c${connections}`,
      `-d${Math.ceil(seconds)}s`,
      '--timeout',
      '60s',
      ...sent,
      '-s',
      script,
      origin,
    ];
    const { stdout } = await run('wrk', [...options, '--', file, String(first % paths.length)]);
    return JSON.parse(stdout.slice(stdout.indexOf('{'))) as LoadResult;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
