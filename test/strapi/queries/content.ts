/** The types of the export and the values that occur, to draw sensible queries from. */
import { exportFiles } from '../../../src/load/archive.ts';
import type { AttributeDefinition } from '../model/definitions.ts';

export interface Type {
  uid: string;
  kind?: 'collectionType' | 'singleType';
  info: { singularName?: string; pluralName?: string };
  options?: { draftAndPublish?: boolean; privateAttributes?: string[] };
  pluginOptions?: { i18n?: { localized?: boolean } };
  attributes: Record<string, AttributeDefinition>;
}

const notScalar = new Set(['relation', 'media', 'component', 'dynamiczone']);

export const isScalar = ({ type }: AttributeDefinition): boolean => !notScalar.has(type);
export const isPolymorphic = ({ type, relation }: AttributeDefinition): boolean =>
  type === 'dynamiczone' || String(relation).startsWith('morphTo');
export const isMany = ({ type, relation, multiple, repeatable }: AttributeDefinition): boolean =>
  type === 'dynamiczone' || multiple === true || repeatable === true || String(relation).endsWith('Many');

export class Content {
  readonly types = new Map<string, Type>();
  readonly #values = new Map<string, unknown[]>();

  static async read(archive: string): Promise<Content> {
    const content = new Content();
    for await (const type of linesOf(archive, 'schemas')) content.#addType(type as Type);
    for await (const entity of linesOf(archive, 'entities')) {
      const { type, id, data } = entity as { type: string; id: number; data: Record<string, unknown> };
      content.#addRow(type, { ...data, id });
    }
    return content;
  }

  /** The types that have routes of their own. */
  get routed(): Type[] {
    return [...this.types.values()].filter(({ uid }) => uid.startsWith('api::'));
  }

  type(uid: string): Type {
    const type = this.types.get(uid);
    if (!type) throw new Error(`no type ${uid} in the export`);
    return type;
  }

  /** Values that occur, nulls left out; each as often as it occurs. */
  values(uid: string, attribute: string): unknown[] {
    return this.#values.get(`${uid} ${attribute}`) ?? [];
  }

  /** The type that a relation, media or component leads to. */
  target({ type, target, component }: AttributeDefinition): Type {
    return this.type(type === 'media' ? 'plugin::upload.file' : ((component ?? target) as string));
  }

  #addType(type: Type): void {
    const attributes = { id: { type: 'integer' }, ...type.attributes };
    const isComponent = type.kind === undefined;
    this.types.set(type.uid, {
      ...type,
      attributes: isComponent ? attributes : { documentId: { type: 'string' }, ...attributes },
    });
  }

  #addRow(uid: string, row: Record<string, unknown>): void {
    const type = this.types.get(uid);
    if (!type) return;
    for (const [name, value] of Object.entries(row)) {
      const attribute = type.attributes[name];
      if (!attribute || value === null) continue;
      const key = `${uid} ${name}`;
      if (isScalar(attribute)) this.#values.set(key, [...(this.#values.get(key) ?? []), value]);
      for (const part of isScalar(attribute) ? [] : [value].flat()) {
        const component = part as Record<string, unknown>;
        this.#addRow((component.__component ?? attribute.component) as string, component);
      }
    }
  }
}

async function* linesOf(archive: string, stage: string): AsyncGenerator<unknown> {
  for await (const { content } of exportFiles(
    archive,
    (name) => name.startsWith(`${stage}/`) && name.endsWith('.jsonl'),
  )) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    for (const line of Buffer.concat(pieces).toString().split('\n')) if (line !== '') yield JSON.parse(line);
  }
}
