/** From what Lectern can follow the Strapi. */
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lecternConfig, tokens } from '../access.ts';
import type { DatabaseKind } from './databases.ts';
import type { Follower } from './servers.ts';

/** The folder of `strapi-plugin-lectern`. */
const plugin = fileURLToPath(new URL('../../../plugin/', import.meta.url));

export interface FollowedSource {
  /** What `lectern serve` gets. */
  readonly location: string;
  /** Lectern's settings besides its ports. */
  readonly settings: object;
  readonly environment: Record<string, string>;
  /** Whether Lectern sees the uploaded files, not only their entries. */
  readonly hasFiles: boolean;
  /** Whether it learns of changes by webhooks, and of the others by comparisons. */
  readonly needsWebhooks: boolean;
  /** Milliseconds after which a change counts as lost: if it was told, and if only a comparison finds it. */
  readonly longest: { readonly told: number; readonly silent: number };
  /** The environment in which Strapi sends webhooks to the admin port of Lectern. */
  webhooks(adminPort: number): Record<string, string>;
  /** Waits until Lectern has read everything that changed before the call. */
  caughtUp(follower: Follower): Promise<void>;
}

/** Milliseconds in which Strapi sends the webhooks of an edit that it has answered. */
const webhookTime = 3000;

/** A project's folder. Its database tells all changes at once, and its `.env` the secrets. */
export const folderSource = (folder: string): FollowedSource => ({
  location: folder,
  settings: {},
  environment: {},
  hasFiles: true,
  needsWebhooks: false,
  longest: { told: 20_000, silent: 20_000 },
  webhooks: () => ({}),
  // every edit was awaited, and one read of the database shows it with all its effects
  caughtUp: async () => {},
});

/** The REST API at an address, with webhooks, and a comparison every `compareSeconds`. */
export function restSource(address: string, compareSeconds: number, kind: DatabaseKind): FollowedSource {
  const secret = randomBytes(16).toString('hex');
  const sha256 = createHash('sha256').update(secret).digest('hex');
  const fullAccess = tokens.find(({ type }) => type === 'full-access')!;
  return {
    location: address,
    settings: {
      ...lecternConfig(),
      ...(kind === 'sqlite' && { database: kind }),
      admin: { tokens: [{ name: 'strapi', sha256, rights: ['hooks'] }] },
      follow: { compareSeconds },
    },
    environment: { LECTERN_SOURCE_TOKEN: fullAccess.text },
    hasFiles: false,
    needsWebhooks: true,
    // a change of a role makes Lectern pull everything
    longest: { told: 20_000, silent: 180_000 + compareSeconds * 1000 },
    webhooks: (adminPort) => ({
      WEBHOOK_URL: `http://127.0.0.1:${adminPort}/_hooks/strapi`,
      WEBHOOK_TOKEN: secret,
    }),
    async caughtUp({ admin }) {
      await sleep(webhookTime);
      // without webhooks, only a comparison reads the Strapi, or a post of the plugin says that nothing has changed
      const since = Date.now();
      for (const deadline = since + 180_000 + compareSeconds * 1000; Date.now() < deadline; await sleep(200)) {
        const reply = (await (await fetch(`${admin}/_ready`)).json()) as { sources: { readAt: string | null }[] };
        const { readAt } = reply.sources[0];
        if (readAt !== null && Date.parse(readAt) > since) return;
      }
      throw new Error(`Lectern has not compared its content with ${address}`);
    },
  };
}

/** As `restSource`, with the posts of `strapi-plugin-lectern` in place of webhooks. Writes the configuration of the plugin. */
export function pluginSource(
  address: string,
  compareSeconds: number,
  kind: DatabaseKind,
  folder: string,
): FollowedSource {
  const secret = randomBytes(16).toString('hex');
  const text = `module.exports = { lectern: { enabled: true, resolve: ${JSON.stringify(plugin)} } };\n`;
  writeFileSync(join(folder, 'config', 'plugins.js'), text);
  const rest = restSource(address, compareSeconds, kind);
  return {
    ...rest,
    settings: { ...rest.settings, follow: { compareSeconds, secret } },
    // the plugin tells of every edit
    needsWebhooks: false,
    webhooks: (adminPort) => ({
      LECTERN_URL: `http://127.0.0.1:${adminPort}/_hooks/strapi`,
      LECTERN_SECRET: secret,
    }),
  };
}
