/** The in-memory JSON snapshot of `data/README.md`, as far as the naive evaluator reads it. */

export type Dialect = 'document' | 'strapi';

/** The database whose rules decide. That of `mysql` compares texts by utf8mb4_0900_ai_ci. */
export type Database = 'postgres' | 'sqlite' | 'mysql';

/** What the setting `features` may name. */
export const features = [
  'populateWindow',
  'fallbackLocale',
  'deepPopulate',
  'languageAware',
  'countSort',
  'zoneFilters',
  'randomSort',
  'fileFolders',
] as const;

export type Feature = (typeof features)[number];

export interface Attribute {
  type: string;
  private?: boolean;
  enum?: string[];
  relation?: string;
  target?: string;
  inversedBy?: string;
  mappedBy?: string;
  morphBy?: string;
  multiple?: boolean;
  component?: string;
  repeatable?: boolean;
  components?: string[];
}

export interface ContentType {
  uid?: string;
  kind?: 'collectionType' | 'singleType';
  info: { singularName: string; pluralName: string; displayName: string };
  options?: { draftAndPublish?: boolean };
  pluginOptions?: { i18n?: { localized?: boolean } };
  attributes: Record<string, Attribute>;
}

export interface Component {
  attributes: Record<string, Attribute>;
}

export interface Role {
  type: string;
  name?: string;
  permissions: string[];
}

export type Entry = Record<string, unknown>;

export interface Snapshot {
  settings?: { defaultLocale?: string; locales?: { code: string; name: string }[] };
  contentTypes: ContentType[];
  components?: Record<string, Component>;
  entries: Record<string, Entry[]>;
  roles?: Role[];
}

/** One read. `name` is the plural of a collection or the singular of a single type. */
export interface Request {
  name: string;
  documentId?: string;
  /** `type` of one of the snapshot's roles; left out, everything that is not private may be read. */
  role?: string;
  query: Record<string, unknown>;
}

export type Expected = { status: 200; body: unknown } | { status: 400 | 403 | 404 };

/** A request that must be refused with the given status. */
export class Refused extends Error {
  readonly status: 400 | 403 | 404;
  constructor(status: 400 | 403 | 404, reason: string) {
    super(reason);
    this.status = status;
  }
}

/** A request or a snapshot whose answer no document settles: the arbitraries must not draw one. */
export class Unspecified extends Error {}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
