/** A Strapi 4 with the almanac in it: installed, filled, exported and started in a scratch folder. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FilledStrapi, startFilled } from '../filled.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { almanac } from './model.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export function startStrapi4(folder: string, refill: boolean): Promise<FilledStrapi> {
  const files = ['access.ts', 'fill.ts', 'model.ts'].map(path);
  const shared = readdirSync(path('../fill')).map((name) => path(`../fill/${name}`));
  const filling = {
    name: 'almanac',
    model: almanac,
    script: path('fill.ts'),
    options: [],
    fingerprint: fingerprintOf([...files, ...shared.sort()]),
    packageFile: path('project/package.json'),
    // no bytes stand behind the files
    exportOptions: ['--exclude', 'files'],
  };
  return startFilled(folder, filling, refill);
}
