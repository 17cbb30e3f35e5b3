import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Batch, isWithinLimits } from '../../../changes/batch/batch.ts';
import { Problems } from '../../../core/problems.ts';
import type { LoadedAccess } from '../../../load/loaded.ts';
import { ExportLines } from '../../../load/strapi/strapi-export.ts';
import { permissionType, roleType } from '../../../model/schema/schema.ts';
import type { Store } from '../../../store/store.ts';
import type { Roles } from '../plugin-content.ts';
import type { RestTypes } from '../rest-types.ts';
import type { RowSource } from '../row-source.ts';
import type { StrapiInput, StrapiOutline } from '../strapi-input.ts';
import { addRoles } from './add-roles.ts';
import { batchOfRows } from './batch-of-rows.ts';
import { compareRows, type Differences } from './compare-rows.ts';
import { Hints, type TakenHints } from './hints.ts';
import { KnownRows } from './known-rows.ts';
import { LoadedRows } from './loaded-rows.ts';
import { Refresh, TooManyChanges } from './refresh.ts';
import { RestRequests } from './rest-requests.ts';

/** What hints lead to. */
export type ReadChanges =
  | {
      readonly kind: 'batch';
      readonly batch: Batch;
      /** Documents that changed while they were requested. */
      readonly unsettled: Refresh['unsettled'];
    }
  | AccessChange
  /** No batch leads to the present state: everything has to be read. */
  | { readonly kind: 'reload' };

/** What a comparison leads to. */
export type Compared =
  | AccessChange
  | { readonly kind: 'reload' }
  | { readonly kind: 'places'; readonly places: TakenHints };

/** What identifies callers has changed. Nothing else was looked at. */
interface AccessChange {
  readonly kind: 'access';
  readonly access: LoadedAccess;
}

export interface PulledContent {
  readonly folder: string;
  readonly store: Store;
  /** When the pull began, in milliseconds since 1970. */
  readonly since: number;
}

/** The types of API tokens and their permissions. They are not served, but identify callers. */
const isOfToken = (type: string) => type.startsWith('admin::api-token');

/** The content of a Strapi that was pulled, and what has changed since. */
export class RestContent {
  readonly #input: StrapiInput;
  readonly #types: RestTypes;
  readonly #outline: string;
  #access: LoadedAccess | null;
  /** As they were read last. */
  #roles: Roles | null;
  readonly #reader: RowSource;
  readonly #requests: RestRequests;
  readonly #known: KnownRows;
  /** The time of the server before which all changes are known, in milliseconds since 1970. */
  #since: number;

  private constructor(input: StrapiInput, outline: StrapiOutline, known: KnownRows, since: number) {
    const { types, locales, roles, access } = outline;
    this.#input = input;
    this.#types = types;
    this.#outline = digestOf(outline);
    this.#access = access;
    this.#roles = roles;
    this.#reader = input.rows(locales.codes);
    this.#requests = new RestRequests(input, types, this.#reader);
    this.#known = known;
    this.#since = since;
  }

  /**
   * Takes content that was pulled to a folder and loaded from there. `outline` was read before the pull, which began at
   * `since`, by the clock of the server.
   */
  static async open(
    input: StrapiInput,
    outline: StrapiOutline,
    { folder, store, since }: PulledContent,
  ): Promise<RestContent> {
    const problems = new Problems('tolerant');
    const lines = await ExportLines.open(folder, problems, () => {});
    const known = new KnownRows(await LoadedRows.read(store, lines));
    problems.throwIfAny();
    return new RestContent(input, outline, known, since);
  }

  /** Requests what hints name. After an error, nothing counts as read. Rejects with a SnapshotError. */
  async read({ documents, isAnywhere }: TakenHints): Promise<ReadChanges> {
    if (this.#access !== null && Array.from(documents.keys()).some(isOfToken)) {
      const change = this.#compareOutline(await this.#input.outline());
      if (change) return change;
    }
    const refresh = new Refresh(this.#types.schema, this.#known, this.#requests);
    let roles = this.#roles;
    if (documents.has(roleType) || documents.has(permissionType)) {
      roles = await this.#input.roles();
      if (roles) addRoles(roles, refresh.rows);
    }
    try {
      const compared = new Set(isAnywhere ? this.#types.readable.keys() : []);
      for (const [type, some] of documents) {
        if (some) for (const documentId of some) refresh.addDocument(type, documentId);
        else compared.add(type);
      }
      await Promise.all(Array.from(compared, (type) => this.#compareType(type, refresh)));
      await refresh.run();
    } catch (error) {
      if (error instanceof TooManyChanges) return { kind: 'reload' };
      throw error;
    }
    this.#roles = roles;
    const batch = batchOfRows(refresh.rows);
    const bytes = batch.entities.reduce((total, { data }) => total + Buffer.byteLength(JSON.stringify(data)), 0);
    if (!isWithinLimits(batch, bytes)) return { kind: 'reload' };
    return { kind: 'batch', batch, unsettled: refresh.unsettled };
  }

  /**
   * Finds what has changed without a hint, by cheap requests. May run beside `read`, and then finds what that has read
   * meanwhile, too. Rejects with a SnapshotError.
   */
  async compare(): Promise<Compared> {
    const start = this.#input.client.serverTime ?? Date.now();
    const outline = await this.#input.outline();
    const change = this.#compareOutline(outline);
    if (change) return change;
    const found = new Hints();
    if (!isDeepStrictEqual(outline.roles, this.#roles)) found.addType(roleType);
    await Promise.all(Array.from(this.#types.readable.keys(), (type) => this.#compareType(type, found)));
    this.#since = start;
    return { kind: 'places', places: found.take() };
  }

  #compareOutline(outline: StrapiOutline): AccessChange | { readonly kind: 'reload' } | null {
    if (digestOf(outline) !== this.#outline) return { kind: 'reload' };
    const { access } = outline;
    if (!access || isDeepStrictEqual(access, this.#access)) return null;
    this.#access = access;
    return { kind: 'access', access };
  }

  #compareType(type: string, differences: Differences): Promise<void> {
    return compareRows(this.#reader, this.#requests.slicesOf(type), this.#known, this.#since, differences);
  }
}

/** Returns a digest of the content types and locales, and of what the token can read of roles. */
function digestOf({ types, locales, roles }: StrapiOutline): string {
  const parts = [types.definitions, [...types.readable.keys()], locales, roles?.hasPermissions];
  return hash('sha256', JSON.stringify(parts));
}
