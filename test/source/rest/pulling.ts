/** Pulls from a Lectern that stands for a Strapi. */
import { join } from 'node:path';
import { type PullSummary, pullContent } from '../../../src/follow/rest/pull-content.ts';
import type { RestTypes } from '../../../src/follow/rest/rest-types.ts';
import { type ClientSettings, StrapiClient } from '../../../src/follow/rest/strapi-client.ts';
import { RestInput } from '../../../src/follow/rest/strapi-input.ts';
import type { Content } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/folders.ts';
import { start } from '../../support/server.ts';

export interface Pulled extends PullSummary {
  folder: string;
  types: RestTypes;
  requestCount: number;
}

/** Serves content and pulls it with a token. `from` names an export with the content types. */
export async function pullFrom(content: Content, token: string, from?: string): Promise<Pulled> {
  const { port } = await start({}, content);
  return pullUrl({ url: `http://127.0.0.1:${port}`, token }, from);
}

export async function pullUrl(settings: ClientSettings, from?: string): Promise<Pulled> {
  const client = await StrapiClient.open({ firstPause: 1, ...settings });
  const input = new RestInput(client, from);
  const outline = await input.outline();
  const { types } = outline;
  const folder = join(temporaryFolder(), 'pulled');
  const summary = await pullContent(input, outline, folder);
  return { ...summary, folder, types, requestCount: client.requestCount };
}
