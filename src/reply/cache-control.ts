/** One rule about the header Cache-Control: `type` is a uid; without it the rule is about every content type. */
export interface CacheControlRule {
  readonly role: string;
  readonly type?: string;
  readonly value: string;
}

/** Nothing may keep an error: the next snapshot may answer. */
export const noStore = 'no-store';

// A cache may keep a reply and has to ask whether it still stands, which costs a 304: so that no cache gives an older
// answer than the server would. Whoever wants less to be asked says for how long in a rule of their own.
const forAll = 'public, max-age=0, must-revalidate';
const forOne = 'private, max-age=0, must-revalidate';

/** The header of a reply to a caller with a role who asks for a content type: the first rule that fits. */
export function cacheControl(rules: readonly CacheControlRule[], role: string, type: string): string {
  const rule = rules.find((each) => each.role === role && (each.type === undefined || each.type === type));
  return rule?.value ?? (role === 'public' ? forAll : forOne);
}
