import type { SnapshotWarning } from '../base/problems.ts';
import type { Config } from './config.ts';

/** Settings of the server that are valid but can have no effect. */
export function serverWarnings({ cors }: Pick<Config, 'cors'>): SnapshotWarning[] {
  return cors.origins.flatMap((origin, index) => {
    const reason = originProblem(origin);
    if (reason === null) return [];
    return [
      { kind: 'wrong-setting', count: 1, message: `cors.origins[${index}]: "${origin}" matches no site: ${reason}` },
    ];
  });
}

/** Returns why no browser sends this text as its Origin, or null. */
function originProblem(origin: string): string | null {
  if (origin === '*') return null;
  if (origin.includes('*')) return 'an asterisk stands for all sites alone, and for no part of a name';
  if (!/^https?:/i.test(origin)) return null;
  if (!URL.canParse(origin)) return 'it is no URL';
  const sent = new URL(origin).origin;
  return sent === origin ? null : `browsers send "${sent}"`;
}
