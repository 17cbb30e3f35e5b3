/** A rule for the header Cache-Control. `type` is a uid; without it the rule applies to every content type. */
interface CacheControlRule {
  readonly role: string;
  readonly type?: string;
  readonly value: string;
}

/** Errors are never cached: the next snapshot may answer. */
export const noStore = 'no-store';

// Caches revalidate at each use, so that none serves older content than the server. Each use costs a 304.
// Sites that want fewer requests set a rule.
const publicDefault = 'public, max-age=0, must-revalidate';
const privateDefault = 'private, max-age=0, must-revalidate';

/** Returns the header of a reply about a content type to a role. The first rule that matches wins. */
export function cacheControl(rules: readonly CacheControlRule[], role: string, type: string): string {
  const rule = rules.find((each) => each.role === role && (each.type === undefined || each.type === type));
  return rule?.value ?? (role === 'public' ? publicDefault : privateDefault);
}
