// vitest runs this before each test file, also if several files share a process.
import { afterAll, afterEach, vi } from 'vitest';
import { removeFolders } from './folders.ts';

afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(removeFolders);
