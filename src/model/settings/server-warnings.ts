import { type SnapshotWarning, warning } from '../../core/problems.ts';
import type { Config } from './config.ts';

/** Returns a warning for each server setting that is valid but has no effect. */
export function serverWarnings(config: Pick<Config, 'cors' | 'admin' | 'adminPort' | 'journal'>): SnapshotWarning[] {
  const messages = [...originWarnings(config.cors), ...adminWarnings(config)];
  return messages.map((message) => warning('wrong-setting', message));
}

function originWarnings({ origins }: Config['cors']): string[] {
  return origins.flatMap((origin, index) => {
    const reason = originProblem(origin);
    return reason === null ? [] : [`cors.origins[${index}]: "${origin}" matches no site: ${reason}`];
  });
}

function adminWarnings({ admin, adminPort, journal }: Pick<Config, 'admin' | 'adminPort' | 'journal'>): string[] {
  if (adminPort !== undefined) return [];
  return [
    ...(admin.tokens.length === 0
      ? []
      : ['admin.tokens: there is no admin port on which they could be sent: set adminPort']),
    ...(journal === undefined ? [] : ['journal: there is no admin port that takes changes: set adminPort']),
  ];
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
