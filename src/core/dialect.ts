/**
 * What differs between the dialects outside reading a query: `document` follows the specification, `strapi` answers as
 * a recorded Strapi does. How each reads a query is in query/dialects.ts.
 */

export type DialectName = 'document' | 'strapi';

/** The databases whose rules content can be queried by: where they put nulls, and how they compare texts. */
export const databaseNames = ['postgres', 'sqlite', 'mysql'] as const;

export type DatabaseName = (typeof databaseNames)[number];

/** What a MySQL or MariaDB database decides by its tables. */
export interface MysqlTables {
  /** The collation of its texts, such as `utf8mb4_general_ci`. */
  readonly collation: string;
  /** JSON is stored as JSON. Otherwise it is stored as the text that Strapi writes, as on MariaDB. */
  readonly hasJson: boolean;
}

/** What Strapi finds in a new database of MySQL 8 and later: for content that does not name its tables. */
export const defaultMysqlTables: MysqlTables = { collation: 'utf8mb4_0900_ai_ci', hasJson: true };

/** One dialect for content of one version of Strapi and of one database, chosen once when the content is opened. */
export interface Dialect {
  readonly name: DialectName;
  readonly strapiMajorVersion: 4 | 5;
  /** The database whose rules decide; query/databases.ts has them. */
  readonly database: DatabaseName;
  /** Null for other databases. */
  readonly mysql: MysqlTables | null;
  readonly access: AccessPolicy;
  readonly routes: RoutePolicy;
  readonly scope: ScopePolicy;
  readonly derived: StorePolicy;
  readonly reply: ReplyPolicy;
}

interface AccessPolicy {
  /** Treats an `Authorization` header other than `Bearer` and exactly one word as absent. Otherwise it is a 401. */
  readonly ignoresOtherCredentials: boolean;
}

interface RoutePolicy {
  /** `/users` has the envelope of every collection. Otherwise it is a bare list. */
  readonly usersInEnvelope: boolean;
  /** A number in place of a documentId is the id of one row, whatever its locale. */
  readonly findsById: boolean;
  /** Returns whether a query string asks for a localized single type in every locale. The reply is then a list. */
  listsEveryLocale(text: string): boolean;
}

interface ScopePolicy {
  /**
   * Returns the status of the rows that filters and sorts reach through relations in a query for `status`; null for
   * every status. A dialect that restricts drafts must not reach them from published rows.
   */
  linkedStatus<Status>(status: Status | null): Status | null;
}

/** The text that comparisons of JSON read: normalised, or as it was written. */
export type JsonTextForm = 'jsonb' | 'written';

/** What queries of the dialect read besides columns, rows and relations. It is built with the store. */
export interface StorePolicy {
  /** Links from each row to every row of its document. */
  readonly versionLinks: boolean;
  /** The text of JSON and blocks: as PostgreSQL's jsonb or as Strapi stores it in SQLite. Null: none. */
  readonly jsonTexts: JsonTextForm | null;
  /** The collation by whose keys texts are compared. Null: by their code points. */
  readonly collation: string | null;
}

interface ReplyPolicy {
  /** Names relations that the caller may not read in the header `X-Lectern-Omitted`. */
  readonly namesOmitted: boolean;
  /** Files on their own routes carry `isUrlSigned`. */
  readonly emitsSignedUrlFlag: boolean;
  /** Drops those localizations of an entry that are on the same level of the reply. */
  readonly dropsNeighbouringLocalizations: boolean;
  /** Entries populated through `morphOne` and `morphMany` carry `"locale": null` if their type has no locales. */
  readonly emitsNullLocale: boolean;
  /** An empty list of files or of `morphMany` is null, and an empty `morphToMany` is left out. */
  readonly emitsEmptyPolymorphicAsNull: boolean;
}

/** A dialect by the rules of PostgreSQL. */
type Variant = Omit<Dialect, 'database' | 'mysql'>;

const document: Variant = {
  name: 'document',
  strapiMajorVersion: 5,
  access: { ignoresOtherCredentials: false },
  routes: { usersInEnvelope: true, findsById: false, listsEveryLocale: () => false },
  scope: { linkedStatus: (status) => status },
  derived: { versionLinks: false, jsonTexts: null, collation: null },
  reply: {
    namesOmitted: true,
    emitsSignedUrlFlag: true,
    dropsNeighbouringLocalizations: false,
    emitsNullLocale: false,
    emitsEmptyPolymorphicAsNull: false,
  },
};

const strapi: Variant = {
  name: 'strapi',
  strapiMajorVersion: 5,
  access: { ignoresOtherCredentials: true },
  routes: { usersInEnvelope: false, findsById: false, listsEveryLocale: () => false },
  scope: { linkedStatus: () => null },
  derived: { versionLinks: true, jsonTexts: 'jsonb', collation: null },
  reply: {
    namesOmitted: false,
    emitsSignedUrlFlag: true,
    dropsNeighbouringLocalizations: true,
    emitsNullLocale: true,
    emitsEmptyPolymorphicAsNull: false,
  },
};

/** Strapi 4 has numeric ids in paths and one row per locale; clients of its content rely on both. */
const version4Routes = {
  findsById: true,
  listsEveryLocale: (text: string) => /(^|&)locale=all(&|$)/.test(text),
};

const documentVersion4: Variant = {
  ...document,
  strapiMajorVersion: 4,
  routes: { ...document.routes, ...version4Routes },
};

/** As a recorded Strapi 4.26 answers. */
const strapiVersion4: Variant = {
  ...strapi,
  strapiMajorVersion: 4,
  routes: { ...strapi.routes, ...version4Routes },
  derived: { versionLinks: false, jsonTexts: 'jsonb', collation: null },
  reply: {
    namesOmitted: false,
    emitsSignedUrlFlag: false,
    dropsNeighbouringLocalizations: false,
    emitsNullLocale: false,
    emitsEmptyPolymorphicAsNull: true,
  },
};

const variants = { document: { 4: documentVersion4, 5: document }, strapi: { 4: strapiVersion4, 5: strapi } };

/** The dialects that were asked for. */
const dialects = new Map<string, Dialect>();

/**
 * Returns the dialect for content of a version such as `5.54.0` and of a database. Null is content that does not come
 * from Strapi. `mysql` counts for that database alone. Equal arguments give the same object.
 */
export function dialectFor(
  name: DialectName,
  strapiVersion: string | null,
  database: DatabaseName = 'postgres',
  mysql: MysqlTables = defaultMysqlTables,
): Dialect {
  const version = strapiMajorVersionOf(strapiVersion);
  const key = JSON.stringify([name, version, database, database === 'mysql' && [mysql.collation, mysql.hasJson]]);
  let dialect = dialects.get(key);
  if (!dialect) {
    dialect = createDialect(variants[name][version], database, mysql);
    dialects.set(key, dialect);
  }
  return dialect;
}

function createDialect(variant: Variant, database: DatabaseName, mysql: MysqlTables): Dialect {
  const { derived } = variant;
  const written = derived.jsonTexts && 'written';
  switch (database) {
    case 'postgres':
      return { ...variant, database, mysql: null };
    case 'sqlite':
      return { ...variant, database, mysql: null, derived: { ...derived, jsonTexts: written } };
    case 'mysql': {
      const jsonTexts = mysql.hasJson ? derived.jsonTexts : written;
      return { ...variant, database, mysql, derived: { ...derived, jsonTexts, collation: mysql.collation } };
    }
  }
}

/** Returns the major version that decides how content is served: 4 for `4` and `4.26.0`, and 5 for all others. */
export function strapiMajorVersionOf(strapiVersion: string | null): 4 | 5 {
  return strapiVersion !== null && /^4(\.|$)/.test(strapiVersion) ? 4 : 5;
}
