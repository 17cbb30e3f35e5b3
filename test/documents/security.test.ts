import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const project = join(import.meta.dirname, '../..');

test('every guarantee of docs/security.md names existing tests', () => {
  const text = readFileSync(join(project, 'docs/security.md'), 'utf8');
  const [guarantees] = text.split('## What the operator has to do');
  const rows = guarantees.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| guarantee'));
  expect(rows.length).toBeGreaterThan(8);
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file);
    expect(named.length, row).toBeGreaterThan(0);
    for (const file of named) expect(existsSync(join(project, file)), file).toBe(true);
  }
});
