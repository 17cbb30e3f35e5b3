import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright-core';

/** The shell has no window and takes a quarter less processor time: 29 s in place of 40 s for two files of tests. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Starts a browser that the tests of a run share, and returns the address at which they connect to it. */
export async function startChromium(): Promise<{ address: string; stop(): Promise<void> }> {
  const server = await chromium.launchServer({
    executablePath: findChromium(),
    args: [
      // root has no sandbox
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      // no test reaches another machine, whatever a page does
      '--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
  return { address: server.wsEndpoint(), stop: () => server.close() };
}

/** Returns the program of Chromium. Throws an error that says how to install it. */
export function findChromium(): string {
  const { LECTERN_CHROMIUM: named } = process.env;
  const program = (named ? [named] : names).map(programOf).find((path) => path !== null);
  if (program) return program;
  if (named) throw new Error(`LECTERN_CHROMIUM names ${JSON.stringify(named)}, which is no program.`);
  throw new Error(
    `These tests need Chromium, and there is no program ${names.join(', ')}. Install it (on Debian: "apt-get install chromium-headless-shell"), or name its program in LECTERN_CHROMIUM.`,
  );
}

function programOf(name: string): string | null {
  try {
    return execFileSync('sh', ['-c', 'command -v -- "$1"', 'sh', name], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}
