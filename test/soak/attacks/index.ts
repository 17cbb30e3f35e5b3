import type { Attack } from '../attack.ts';
import { compressionFloods } from './compression-floods.ts';
import { distinctSorts } from './distinct-sorts.ts';
import { dottedSorts } from './dotted-sorts.ts';
import { malformed } from './malformed.ts';
import { manyConditions } from './many-conditions.ts';
import { oddHeaders } from './odd-headers.ts';
import { pipelining } from './pipelining.ts';
import { reloading } from './reloading.ts';
import { slowReaders } from './slow-readers.ts';

export const attacks: readonly Attack[] = [
  distinctSorts,
  dottedSorts,
  manyConditions,
  compressionFloods,
  pipelining,
  slowReaders,
  malformed,
  oddHeaders,
  reloading,
];
