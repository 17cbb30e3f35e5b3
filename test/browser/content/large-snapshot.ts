import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folders.ts';

/** Writes a snapshot whose only list is a reply of 16 MB, and returns its folder. */
export function writeLargeSnapshot(): string {
  const folder = temporaryFolder('lectern-large-');
  const write = (path: string, value: unknown) => writeFileSync(join(folder, path), JSON.stringify(value));
  mkdirSync(join(folder, 'content-types'));
  mkdirSync(join(folder, 'entries'));
  write('content-types/record.json', {
    info: { singularName: 'record', pluralName: 'records', displayName: 'Record' },
    attributes: { title: { type: 'string' }, lines: { type: 'json' }, text: { type: 'text' } },
  });
  write(
    'entries/record.json',
    Array.from({ length: 100 }, (_, i) => ({
      documentId: `record-${i}`,
      title: `Record ${i}`,
      lines: Array.from({ length: 700 }, (_, j) => ({
        number: j,
        words: [`line ${j} of record ${i}`, 'x'.repeat(40)],
        size: { width: j, height: i, unit: 'px' },
      })),
      text: `Text ${i}. `.repeat(8000),
    })),
  );
  write('roles.json', [{ type: 'public', name: 'Public', permissions: ['api::record.record.find'] }]);
  return folder;
}
