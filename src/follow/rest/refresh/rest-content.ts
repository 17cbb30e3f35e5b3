import { hash } from 'node:crypto';
import { type Batch, isWithinLimits } from '../../../changes/batch/batch.ts';
import { Problems } from '../../../core/problems.ts';
import { ExportLines } from '../../../load/strapi/strapi-export.ts';
import { permissionType, roleType } from '../../../model/schema/schema.ts';
import type { Store } from '../../../store/store.ts';
import { pullLocales, type Roles, readRoles } from '../plugin-content.ts';
import { findTypes, type RestTypes } from '../rest-types.ts';
import { RowReader } from '../row-reader.ts';
import type { StrapiClient } from '../strapi-client.ts';
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

/** The content of a Strapi that was pulled, and what has changed since. */
export class RestContent {
  readonly #client: StrapiClient;
  readonly #from: string | undefined;
  readonly #types: RestTypes;
  readonly #outline: string;
  readonly #reader: RowReader;
  readonly #requests: RestRequests;
  readonly #known: KnownRows;
  /** The time of the server before which all changes are known, in milliseconds since 1970. */
  #since: number;

  private constructor(
    client: StrapiClient,
    from: string | undefined,
    { types, outline, locales }: Outline,
    known: KnownRows,
    since: number,
  ) {
    this.#client = client;
    this.#from = from;
    this.#types = types;
    this.#outline = outline;
    this.#reader = new RowReader(client, locales, types.users);
    this.#requests = new RestRequests(types, this.#reader);
    this.#known = known;
    this.#since = since;
  }

  /**
   * Takes content that was pulled to a folder and loaded from there. `from` is an export with the content types. `outline`
   * was read before the pull, which began at `since`, by the clock of the server.
   */
  static async open(
    client: StrapiClient,
    from: string | undefined,
    outline: Outline,
    { folder, store, since }: PulledContent,
  ): Promise<RestContent> {
    const problems = new Problems('tolerant');
    const lines = await ExportLines.open(folder, problems, () => {});
    const known = new KnownRows(await LoadedRows.read(store, lines));
    problems.throwIfAny();
    return new RestContent(client, from, outline, known, since);
  }

  /**
   * Requests what hints name, and with `isComparison` everything that has changed. After an error, nothing counts as read.
   * Rejects with a SnapshotError.
   */
  async read({ documents, isAnywhere }: TakenHints, isComparison: boolean): Promise<ReadChanges> {
    const refresh = new Refresh(this.#types.schema, this.#known, this.#requests);
    const start = this.#client.serverTime ?? Date.now();
    if (isComparison) {
      const { outline, roles } = await readOutline(this.#client, this.#from, this.#types.users);
      if (outline !== this.#outline) return { batch: null, unsettled: [] };
      if (roles) addRoles(roles, refresh.rows);
    } else if (documents.has(roleType) || documents.has(permissionType)) {
      const roles = await readRoles(this.#client);
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

/** What decides how content is read, and what is compared as a whole. */
export interface Outline {
  readonly types: RestTypes;
  readonly locales: readonly string[];
  /** Null if the token cannot read them. */
  readonly roles: Roles | null;
  /** Digest of the content types and locales, and of what the token can read of roles. */
  readonly outline: string;
}

/** `users` is as for `findTypes`. Rejects with a SnapshotError. */
export async function readOutline(
  client: StrapiClient,
  from: string | undefined,
  users: boolean | undefined,
): Promise<Outline> {
  const types = await findTypes(client, from, users);
  const [locales, roles] = await Promise.all([pullLocales(client, types), readRoles(client)]);
  const parts = [types.definitions, [...types.readable.keys()], locales, roles?.hasPermissions];
  return { types, locales: locales.codes, roles, outline: hash('sha256', JSON.stringify(parts)) };
}
