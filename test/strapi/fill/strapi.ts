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

type Data = Record<string, unknown>;

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
  update(parameters: { where: Data; data: Data }): Promise<unknown>;
  findOne(parameters: { where: Data }): Promise<{ id: number } | null>;
  findMany(parameters: { orderBy: Data }): Promise<{ id: number }[]>;
}

export interface Strapi {
  contentTypes: Record<string, ContentType>;
  components: Record<string, ContentType>;
  documents(uid: string): Documents;
  db: { query(uid: string): Rows };
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
