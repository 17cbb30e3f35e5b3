/** A content type of the demo: its definition, and its entries, made one after the other. */
import type { World } from './world.ts';

export interface ContentType {
  singularName: string;
  /** Content of `content-types/<singularName>.json`; null for a type that needs no file. */
  definition: object | null;
  entries(world: World): Iterable<object>;
}

/** Marks an attribute whose value differs by locale. */
export const localized = { pluginOptions: { i18n: { localized: true } } };

/** Where an editor finds the JSON Schemas: right for every snapshot folder that stands beside `data/demo`. */
export const SCHEMAS = '../../schemas/';

/** Leaves out attributes without a value: null, or an empty list. In a snapshot that means the same, and is shorter. */
export function sparse(entry: object): object {
  const given = ([, value]: [string, unknown]) => value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(entry).filter(given));
}
