/** The little of Strapi's interface that filling it takes. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AttributeDefinition } from '../model/definitions.ts';

export interface ContentType {
  uid: string;
  kind: 'collectionType' | 'singleType';
  options?: { draftAndPublish?: boolean };
  pluginOptions?: { i18n?: { localized?: boolean } };
  attributes: Record<string, AttributeDefinition>;
}

export type Data = Record<string, unknown>;

interface Place {
  documentId: string;
  locale?: string;
}

interface Documents {
  create(parameters: { data: Data; locale?: string }): Promise<{ documentId: string }>;
  update(parameters: Place & { data: Data }): Promise<unknown>;
  publish(parameters: Place): Promise<unknown>;
  unpublish(parameters: Place): Promise<unknown>;
  discardDraft(parameters: Place): Promise<unknown>;
  delete(parameters: Place): Promise<unknown>;
}

interface Rows {
  create(parameters: { data: Data }): Promise<{ id: number; documentId: string }>;
  createMany(parameters: { data: Data[] }): Promise<unknown>;
  update(parameters: { where: Data; data: Data }): Promise<unknown>;
  findOne(parameters: { where: Data }): Promise<{ id: number } | null>;
  findMany(parameters: { orderBy: Data }): Promise<{ id: number }[]>;
}

/** How the database holds an attribute; of relations, media, components and zones only. */
export interface StoredAttribute {
  /** Where relations stand: the side that owns them, what they lead to, and the place on either side's list. */
  /** Of other attributes only. */
  columnName?: string;
  joinTable?: {
    name: string;
    joinColumn: { name: string };
    inverseJoinColumn: { name: string };
    morphColumn?: { idColumn: { name: string }; typeColumn: { name: string } };
    orderColumnName?: string;
    inverseOrderColumnName?: string;
  };
}

interface Database {
  query(uid: string): Rows;
  /** Of content types and components, by uid. */
  metadata: { get(uid: string): { tableName: string; attributes: Record<string, StoredAttribute> } };
  getConnection(table: string): { insert(rows: Data[]): Promise<unknown> };
  connection: { raw(sql: string, values?: unknown[]): Promise<unknown> };
}

export interface Strapi {
  contentTypes: Record<string, ContentType>;
  components: Record<string, ContentType>;
  documents(uid: string): Documents;
  db: Database;
  /** Services have no types outside Strapi's own code. */
  service(name: string): any;
  plugin(name: string): { service(name: string): any };
  destroy(): Promise<void>;
}

/** Loads the Strapi project in a folder, without its HTTP server. It reads its configuration from there too. */
export async function loadStrapi(folder: string): Promise<Strapi> {
  const require = createRequire(join(folder, 'package.json'));
  const { createStrapi } = require('@strapi/strapi');
  return createStrapi({ appDir: folder, distDir: folder }).load();
}
