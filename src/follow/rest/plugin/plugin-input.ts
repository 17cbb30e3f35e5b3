import { z } from 'zod';
import { Problems } from '../../../core/problems.ts';
import { exportedPart } from '../../../load/database/stored-types.ts';
import type { LoadedAccess } from '../../../load/loaded.ts';
import { readDefinition } from '../../../load/strapi/strapi-export.ts';
import { apiTokenOf } from '../../../model/access/definitions.ts';
import { withPrivateAttributes } from '../../../model/schema/privacy.ts';
import { type Locale, localesOf } from '../plugin-content.ts';
import { definitionsOf } from '../read-definitions.ts';
import { allTypes, hasPlainRoute, type ReadableType, type RestTypes } from '../rest-types.ts';
import type { RowSource } from '../row-source.ts';
import { hasDraftLinks, type Slice, type Status } from '../slices.ts';
import type { StrapiClient } from '../strapi-client.ts';
import type { StrapiInput, StrapiOutline } from '../strapi-input.ts';
import { PluginRoute } from './plugin-route.ts';
import { PluginRows } from './plugin-rows.ts';

const apiToken = z.object({
  name: z.string(),
  type: z.string(),
  kind: z.string().nullish(),
  accessKey: z.string(),
  expiresAt: z.iso.datetime().nullish(),
  permissions: z.array(z.object({ action: z.string() })),
});

const outlineLine = z.object({
  types: z.array(z.looseObject({ uid: z.string() })),
  privateAttributes: z.array(z.string()),
  locales: z.array(z.looseObject({ id: z.int(), code: z.string() })),
  defaultLocale: z.string().nullish(),
  /** The settings of users and permissions. */
  ofUsers: z.looseObject({ email_confirmation: z.boolean().optional() }).nullish(),
  apiTokens: z.array(apiToken),
  apiTokenSalt: z.string().nullable(),
});

/**
 * Reads a Strapi by the route of its plugin: all types, whatever a token may read, and the rows of all versions together.
 * Roles and permissions are rows like all others.
 */
export class PluginInput implements StrapiInput {
  readonly #route: PluginRoute;
  readonly #users: boolean;

  /** `users` is as in `LoadOptions`. Without users, rows still name the ids of those to which they link. */
  constructor(client: StrapiClient, secret: string, users = true) {
    this.#route = new PluginRoute(client, secret);
    this.#users = users;
  }

  get client(): StrapiClient {
    return this.#route.client;
  }

  async outline(): Promise<StrapiOutline> {
    const { position, lines } = await this.#route.ask({});
    const problems = new Problems('tolerant');
    const { data, error } = outlineLine.safeParse(lines[0]);
    if (!data) {
      const [{ path, message }] = error.issues;
      throw this.#route.error(`the answer does not describe a Strapi: ${path.join('.')}: ${message}.`);
    }
    const types = data.types.flatMap((type) => {
      const definition = readDefinition({ ...exportedPart(type), uid: type.uid }, this.#route.address, problems);
      return definition ? [withPrivateAttributes(definition, data.privateAttributes)] : [];
    });
    problems.throwIfAny();
    const locales = localesOf(data.locales as Locale[], data.defaultLocale ?? null);
    return {
      types: allTypes(definitionsOf(types), this.#users),
      locales,
      roles: null,
      access: accessOf(data),
      warnings: [],
      position,
    };
  }

  async roles(): Promise<null> {
    return null;
  }

  slicesOf(types: RestTypes, readable: ReadableType): readonly Slice[] {
    const { type } = readable;
    const slice = (status: Status | null, isOnlyLinks = false): Slice => {
      const name = `${type.uid.replaceAll('::', '.')}.${status ?? 'all'}`;
      return { name, readable, status, isOnlyLinks, parts: [undefined] };
    };
    const isWhole = type.draftAndPublish || hasPlainRoute(type.uid) || !hasDraftLinks(types, type);
    return isWhole ? [slice(null)] : [slice('published'), slice('draft', true)];
  }

  rows(): RowSource {
    return new PluginRows(this.#route);
  }
}

/** Returns what identifies callers. Tokens for the admin panel are left out. Users' JWTs have the secret of the settings. */
function accessOf({ apiTokens, apiTokenSalt, ofUsers }: z.output<typeof outlineLine>): LoadedAccess {
  const ofContent = apiTokens.filter(({ kind }) => !kind || kind === 'content-api');
  return {
    apiTokens: ofContent.map(({ name, type, accessKey, expiresAt, permissions }) =>
      apiTokenOf({
        name,
        type,
        actions: permissions.map(({ action }) => action).sort(),
        accessKey,
        expires: expiresAt ? Date.parse(expiresAt) : null,
      }),
    ),
    secrets: { apiTokenSalt, jwtSecret: null, jwtManagement: 'legacy-support' },
    emailConfirmation: ofUsers?.email_confirmation === true,
  };
}
