import { afterEach } from 'vitest';

/** Returns a list whose items are closed after each test, the last one first. */
export function closedAfterEach(): { close(): Promise<void> }[] {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  return open;
}
