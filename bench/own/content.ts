import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { serverFields } from '../../src/model/settings/server.ts';
import { answerOf } from '../http/answers.ts';
import type { Options } from '../options.ts';
import type { Opening } from '../peers/peer.ts';
import { readUrlFile, type UrlGroup } from './urls.ts';

/** A snapshot with the URLs that are asked of it. */
export interface AskedContent {
  snapshot: string;
  /** As in a config file. */
  settings: Record<string, unknown>;
  authorization?: string;
  groups: UrlGroup[];
}

export type OwnOptions = Pick<Options, 'snapshot' | 'urls' | 'http' | 'token' | 'config'>;

/** Throws an error that names the option, before anything is built or measured. */
export async function checkOwnContent({ snapshot, urls, http, config }: OwnOptions): Promise<void> {
  if (snapshot !== undefined && !existsSync(snapshot))
    throw new Error(`option '--snapshot': there is no file or folder ${snapshot}.`);
  if (config !== undefined) readSettings(config);
  const groups = urls === undefined ? [] : readUrlFile(urls);
  if (http !== undefined) await checkService(http, groups[0].urls[0]);
}

/** Content and URLs of one's own, as the options name them. Lectern accepts the token for everything. */
export function ownContent({ snapshot, urls, token, config }: OwnOptions): AskedContent {
  const settings = config === undefined ? {} : readSettings(config);
  const own = { snapshot: snapshot!, settings, groups: readUrlFile(urls!) };
  if (token === undefined) return own;
  const sha256 = createHash('sha256').update(token).digest('hex');
  const tokens = [...((settings.tokens as object[]) ?? []), { name: 'benchmark', sha256, type: 'full-access' }];
  return { ...own, settings: { ...settings, tokens }, authorization: `Bearer ${token}` };
}

/** How the library is opened, which does not know the settings of the server. */
export function openingOf({ settings, authorization }: AskedContent): Opening {
  const ofLibrary = Object.entries(settings).filter(([key]) => key !== '$schema' && !(key in serverFields));
  return { settings: Object.fromEntries(ofLibrary), authorization };
}

async function checkService(address: string, path: string): Promise<void> {
  const { origin, pathname } = URL.canParse(address) ? new URL(address) : { origin: '', pathname: '' };
  if (!/^http:/.test(origin) || pathname !== '/')
    throw new Error(
      `option '--http': ${address} is not the address of a service. Write it without a path, such as http://127.0.0.1:1337.`,
    );
  await answerOf(origin, path).catch((error: Error) => {
    throw new Error(`option '--http': nothing answers at ${address} (${error.message}).`);
  });
}

function readSettings(file: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`option '--config': ${file}: ${(error as Error).message.replace(/\s+/g, ' ')}`);
  }
}
