/** Ways to read the content of a Strapi: its REST API, and the route of `strapi-plugin-lectern`. */
import type { LoadedAccess } from '../../load/loaded.ts';
import { type PulledLocales, pullLocales, type Roles, readRoles } from './plugin-content.ts';
import type { PostPosition } from './refresh/post-order.ts';
import { findTypes, type ReadableType, type RestTypes } from './rest-types.ts';
import { RowReader } from './row-reader.ts';
import type { RowSource } from './row-source.ts';
import { type Slice, slicesOf } from './slices.ts';
import type { StrapiClient } from './strapi-client.ts';

/** What decides how content is read, and what is compared as a whole. */
export interface StrapiOutline {
  readonly types: RestTypes;
  readonly locales: PulledLocales;
  /** Null if the token cannot read them, or if they are rows like all others. */
  readonly roles: Roles | null;
  /** What identifies callers. Null if it is not known. */
  readonly access: LoadedAccess | null;
  /** Sentences about what cannot be read. */
  readonly warnings: readonly string[];
  /** The last post of the plugin before that. Null if nobody posts. */
  readonly position: PostPosition | null;
}

export interface StrapiInput {
  readonly client: StrapiClient;
  outline(): Promise<StrapiOutline>;
  /** Reads the roles alone, as `outline` does. */
  roles(): Promise<Roles | null>;
  /** Returns the slices that hold all rows of a type. */
  slicesOf(types: RestTypes, readable: ReadableType): readonly Slice[];
  /** `locales` are those in which single types are asked for. */
  rows(locales: readonly string[]): RowSource;
}

const noPermissions =
  'The permissions of roles cannot be read without plugin::users-permissions.role.find and findOne. The setting "roles" defines who may read what.';

/**
 * Reads a Strapi over its REST API. `from` is an export with the content types. Undefined: they are requested. `users` is as
 * in `LoadOptions`.
 */
export class RestInput implements StrapiInput {
  readonly client: StrapiClient;
  readonly #from: string | undefined;
  readonly #users: boolean | undefined;

  constructor(client: StrapiClient, from?: string, users?: boolean) {
    this.client = client;
    this.#from = from;
    this.#users = users;
  }

  async outline(): Promise<StrapiOutline> {
    const types = await findTypes(this.client, this.#from, this.#users);
    const [locales, roles] = await Promise.all([pullLocales(this.client, types), this.roles()]);
    const ofRoles = roles?.hasPermissions === true ? [] : [noPermissions];
    const warnings = [...types.warnings, ...locales.warnings, ...ofRoles];
    return { types, locales, roles, access: null, warnings, position: null };
  }

  roles(): Promise<Roles | null> {
    return readRoles(this.client);
  }

  slicesOf(types: RestTypes, readable: ReadableType): readonly Slice[] {
    return slicesOf(types, readable);
  }

  rows(locales: readonly string[]): RowSource {
    return new RowReader(this.client, locales, this.#users);
  }
}
