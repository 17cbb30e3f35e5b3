import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Batch, isWithinLimits } from '../../../changes/batch/batch.ts';
import { Problems } from '../../../core/problems.ts';
import type { LoadedAccess } from '../../../load/loaded.ts';
import { ExportLines } from '../../../load/strapi/strapi-export.ts';
import { permissionType, roleType } from '../../../model/schema/schema.ts';
import type { Store } from '../../../store/store.ts';
import type { RestTypes } from '../rest-types.ts';
import type { RowSource } from '../row-source.ts';
import type { StrapiInput, StrapiOutline } from '../strapi-input.ts';
import { addRoles } from './add-roles.ts';
import { batchOfRows } from './batch-of-rows.ts';
import { compareRows } from './compare-rows.ts';
import type { TakenHints } from './hints.ts';
import { KnownRows } from './known-rows.ts';
import { LoadedRows } from './loaded-rows.ts';
import { Refresh, TooManyChanges } from './refresh.ts';
import { RestRequests } from './rest-requests.ts';

/** What hints and comparisons lead to. */
export interface ReadChanges {
  /** What identifies callers, if it has changed: nothing else was read. */
  readonly access?: LoadedAccess;
  /** Null if there is none: everything has to be read. */
  readonly batch: Batch | null;
  /** Documents that changed while they were requested. */
  readonly unsettled: Refresh['unsettled'];
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
  readonly #reader: RowSource;
  readonly #requests: RestRequests;
  readonly #known: KnownRows;
  /** The time of the server before which all changes are known, in milliseconds since 1970. */
  #since: number;

  private constructor(input: StrapiInput, outline: StrapiOutline, known: KnownRows, since: number) {
    const { types, locales, access } = outline;
    this.#input = input;
    this.#types = types;
    this.#outline = digestOf(outline);
    this.#access = access;
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

  /**
   * Requests what hints name, and with `isComparison` everything that has changed. After an error, nothing counts as read.
   * Rejects with a SnapshotError.
   */
  async read({ documents, isAnywhere }: TakenHints, isComparison: boolean): Promise<ReadChanges> {
    const refresh = new Refresh(this.#types.schema, this.#known, this.#requests);
    const start = this.#input.client.serverTime ?? Date.now();
    const knowsTokens = this.#access !== null;
    if (isComparison || (knowsTokens && Array.from(documents.keys()).some(isOfToken))) {
      const outline = await this.#input.outline();
      if (digestOf(outline) !== this.#outline) return { batch: null, unsettled: [] };
      const { roles, access } = outline;
      if (access && !isDeepStrictEqual(access, this.#access)) {
        this.#access = access;
        return { access, batch: null, unsettled: [] };
      }
      if (roles) addRoles(roles, refresh.rows);
    } else if (documents.has(roleType) || documents.has(permissionType)) {
      const roles = await this.#input.roles();
      if (roles) addRoles(roles, refresh.rows);
    }
    try {
      const compared = isComparison || isAnywhere ? [...this.#types.readable.keys()] : [];
      for (const [type, some] of documents) {
        if (some) for (const documentId of some) refresh.addDocument(type, documentId);
        else if (!compared.includes(type)) compared.push(type);
      }
      await Promise.all(compared.map((type) => this.#compare(type, refresh)));
      await refresh.run();
    } catch (error) {
      if (error instanceof TooManyChanges) return { batch: null, unsettled: [] };
      throw error;
    }
    const batch = batchOfRows(refresh.rows);
    if (isComparison) this.#since = start;
    const bytes = batch.entities.reduce((total, { data }) => total + Buffer.byteLength(JSON.stringify(data)), 0);
    return { batch: isWithinLimits(batch, bytes) ? batch : null, unsettled: refresh.unsettled };
  }

  #compare(type: string, refresh: Refresh): Promise<void> {
    return compareRows(this.#reader, this.#requests.slicesOf(type), this.#known, this.#since, refresh);
  }
}

/** Returns a digest of the content types and locales, and of what the token can read of roles. */
function digestOf({ types, locales, roles }: StrapiOutline): string {
  const parts = [types.definitions, [...types.readable.keys()], locales, roles?.hasPermissions];
  return hash('sha256', JSON.stringify(parts));
}
