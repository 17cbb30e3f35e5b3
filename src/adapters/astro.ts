/** Astro: a loader that fills a content collection. */
import type { Client } from '../client/client.ts';
import type { FieldsOf, PopulateOf, Query } from '../client/query.ts';
import type { ListName, TypeAt } from '../client/reads.ts';

type Data = Record<string, unknown>;

/** What the loader uses of Astro's `LoaderContext`. */
export interface LoaderContext {
  readonly store: {
    get(id: string): { digest?: number | string } | undefined;
    set(entry: { id: string; data: Data; digest: number | string }): boolean;
    delete(id: string): void;
    keys(): string[];
  };
  readonly parseData: (entry: { id: string; data: Data }) => Promise<Data>;
  readonly generateDigest: (data: Data) => number | string;
  readonly logger: { info(message: string): void };
}

export interface LoaderOptions<Schema, Name extends ListName<Schema>, Fields, Populate, Status> {
  readonly client: Client<Schema>;
  /** The route of the collection, such as `articles`. */
  readonly name: Name;
  readonly query?: Omit<Query<TypeAt<Schema, Name>, Fields, Populate, unknown, Status>, 'pagination' | 'sort'>;
  /** The id in Astro. Default: the documentId. */
  readonly id?: (entry: Data) => string;
  /** Entries of one request. */
  readonly pageSize?: number;
}

/** Returns a loader. It writes entries that differ, and deletes those that are gone. An error leaves the collection. */
export function lecternLoader<
  Schema,
  Name extends ListName<Schema>,
  const Fields extends FieldsOf<TypeAt<Schema, Name>> | undefined = undefined,
  const Populate extends PopulateOf<TypeAt<Schema, Name>> | undefined = undefined,
  Status extends TypeAt<Schema, Name>['status'] | undefined = undefined,
>(options: LoaderOptions<Schema, Name, Fields, Populate, Status>) {
  const { id: idOf = ({ documentId, id }: Data) => String(documentId ?? id) } = options;
  return {
    name: 'lectern',
    async load({ store, parseData, generateDigest, logger }: LoaderContext): Promise<void> {
      const entries = new Map<string, Data>();
      for await (const entry of readAll(options as unknown as Reading)) entries.set(idOf(entry), entry);
      let written = 0;
      for (const [id, entry] of entries) {
        const digest = generateDigest(entry);
        if (store.get(id)?.digest === digest) continue;
        store.set({ id, data: await parseData({ id, data: entry }), digest });
        written++;
      }
      const gone = store.keys().filter((id) => !entries.has(id));
      for (const id of gone) store.delete(id);
      logger.info(
        `${options.name}: ${entries.size} entries, ${written} of them new or changed, ${gone.length} deleted`,
      );
    },
  };
}

/** The options of a loader, whatever its schema. */
interface Reading {
  readonly client: {
    find(name: string, query: object): Promise<{ data: Data[]; meta: { pagination?: { total?: number } } }>;
  };
  readonly name: string;
  readonly query?: { readonly filters?: object };
  readonly pageSize?: number;
}

/** Reads in the order of ids, each page from the last id on. So no entry is missed if others are deleted meanwhile. */
async function* readAll({ client, name, query = {}, pageSize = 100 }: Reading): AsyncGenerator<Data> {
  for (let last = 0; ; ) {
    const filters = { $and: [...(query.filters ? [query.filters] : []), { id: { $gt: last } }] };
    const page = { ...query, filters, sort: 'id', pagination: { page: 1, pageSize } };
    const { data, meta } = await client.find(name, page);
    yield* data;
    if (data.length === 0 || data.length >= (meta.pagination?.total ?? Number.POSITIVE_INFINITY)) return;
    last = data.at(-1)!.id as number;
  }
}
