import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { cli } from '../../support/cli.ts';
import { removeFolders, temporaryFolder } from '../../support/folders.ts';
import { writeHostileSnapshot } from '../content/hostile-snapshot.ts';
import { startServed } from './serving.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The demo as a prebuilt image. */
    demoImage: string;
    /** Where the server of the demo listens. */
    demoOrigin: string;
    /** Where the server of the hostile content listens. */
    hostileOrigin: string;
  }
}

/**
 * Starts the servers that all files share before the first test of a run: of the demo, and of hostile content. An image
 * of the demo lets a server with other settings start in 1.3 s of processor time instead of 3 s.
 */
export default async function shareServers(project: TestProject): Promise<() => void> {
  const image = join(temporaryFolder('lectern-demo-'), 'demo.lectern');
  const startDemo = () => {
    execFileSync(process.execPath, [cli, 'build', 'data/demo', '--out', image], { stdio: 'pipe' });
    return startServed(image);
  };
  const [hostile, demo] = await Promise.all([startServed(writeHostileSnapshot(), { maxLimit: 200 }), startDemo()]);
  project.provide('demoImage', image);
  project.provide('demoOrigin', `http://127.0.0.1:${demo.port}`);
  project.provide('hostileOrigin', `http://127.0.0.1:${hostile.port}`);
  return () => {
    for (const { child } of [hostile, demo]) child.kill('SIGKILL');
    removeFolders();
  };
}
