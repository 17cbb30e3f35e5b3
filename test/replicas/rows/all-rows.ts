import { formats } from './formats.ts';
import { networkFails } from './network-fails.ts';
import { publisherKilled } from './publisher-killed.ts';
import { redisFails } from './redis-fails.ts';
import type { Row } from './row.ts';
import { severalServers } from './several-servers.ts';

export const allRows: readonly Row[] = [
  ...publisherKilled,
  ...redisFails,
  ...networkFails,
  ...severalServers,
  ...formats,
];
