import type { ChildProcess } from 'node:child_process';

/** Waits until the server on a port is ready. */
export async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${port}/_ready`).catch(() => null);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
