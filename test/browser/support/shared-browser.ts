import type { TestProject } from 'vitest/node';
import { startChromium } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the tests connect to the browser. */
    browserAddress: string;
  }
}

/** Starts the browser before the first test of a run, and stops it after the last. */
export default async function shareBrowser(project: TestProject): Promise<() => Promise<void>> {
  const { address, stop } = await startChromium();
  project.provide('browserAddress', address);
  return stop;
}
