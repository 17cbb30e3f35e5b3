import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const project = join(import.meta.dirname, '..');

test('every promise of SECURITY.md names tests that are there', () => {
  const text = readFileSync(join(project, 'SECURITY.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| promise'));
  expect(rows.length).toBeGreaterThan(8);
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file);
    expect(named.length, row).toBeGreaterThan(0);
    for (const file of named) expect(existsSync(join(project, file)), file).toBe(true);
  }
});
