import type { SnapshotWarning } from '../base/problems.ts';
import type { Config } from './config.ts';

/** Returns a warning for each server setting that is valid but has no effect. */
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
  if (origin.includes('*')) return 'a name cannot contain wildcards; use "*" alone for all sites';
  if (!/^https?:/i.test(origin)) return null;
  if (!URL.canParse(origin)) return 'it is not a URL';
  const sent = new URL(origin).origin;
  return sent === origin ? null : `browsers send "${sent}"`;
}
