import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Filling } from '../filled.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { modelOf } from './model.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const shared = fileURLToPath(new URL('../', import.meta.url));

/** A Strapi filled with a snapshot. Its fingerprint is of the snapshot and of what fills Strapi with it. */
export function magazineFilling(snapshot: string): Filling {
  const own = ['buffer.ts', 'documents.ts', 'fill.ts', 'links.ts', 'model.ts', 'snapshot.ts'];
  const others = ['fill/people.ts', 'fill/strapi.ts', 'model/definitions.ts', 'project.ts'];
  const entries = readdirSync(snapshot, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  return {
    name: 'magazine',
    model: modelOf(snapshot),
    script: join(here, 'fill.ts'),
    options: [snapshot],
    fingerprint: fingerprintOf([
      ...own.map((file) => join(here, file)),
      ...others.map((file) => join(shared, file)),
      ...entries.sort().map((file) => join(snapshot, file)),
    ]),
  };
}
