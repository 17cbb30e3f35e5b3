/** What the explorer learns of the content that it shows. */
import type { SchemaReply } from '../../description/schema-reply.ts';
import type { ExplorerOrigins } from '../../http/home/explorer.ts';
import type { Caller } from '../../model/access/permissions.ts';
import type { Settings } from '../../model/settings/config.ts';
import { jsonHeaders, noStore, type Reply } from '../../query/reply/reply.ts';
import type { Version } from './version.ts';

/**
 * Answers `/_schema.json` for a caller. `isFull` says whether the request has a token with full access, and `name` which
 * content it chose, if any.
 */
export function schemaReply(
  { engine, loaded }: Pick<Version, 'engine' | 'loaded'>,
  { permissions }: Caller,
  isFull: boolean,
  { prefix, explain }: Pick<Settings, 'prefix' | 'explain'>,
  name: string,
): Reply {
  const schema: SchemaReply = {
    ...engine.describe(permissions, loaded.kind === 'strapi'),
    prefix,
    explain,
    hasFullAccess: isFull,
    roles: isFull ? engine.access.roles.types : [],
    name,
    mediaUrl: originOf(loaded.addresses.mediaUrl),
  };
  const headers = { ...jsonHeaders, ...engine.headers.with({ 'Cache-Control': noStore }) };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(schema)) };
}

/** Returns the origins of images. Those that begin with a slash may be redirected to the URL of the setting `uploads`. */
export function explorerOrigins(
  { loaded }: Pick<Version, 'loaded'>,
  { uploads }: Pick<Settings, 'uploads'>,
): ExplorerOrigins {
  const origins = [loaded.addresses.mediaUrl, uploads].map(originOf).filter((origin) => origin !== null);
  return { images: [...new Set(origins)] };
}

/** Returns the origin of a URL, or null for anything else. */
function originOf(url: string | boolean | undefined): string | null {
  return typeof url === 'string' && /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : null;
}
