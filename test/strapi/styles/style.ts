/** A small Strapi project with a mistake or an unusual definition that Strapi tolerates. */

export type Attributes = Record<string, Record<string, unknown>>;

export interface StyleType {
  attributes: Attributes;
  plural?: string;
  kind?: 'singleType';
  draftAndPublish?: boolean;
  localized?: boolean;
}

export interface StyleModel {
  /** Content types by singular name. */
  types: Record<string, StyleType>;
  /** Attributes by uid. */
  components?: Record<string, Attributes>;
  /** Source of what `register` does. */
  register?: string;
  /** Further files of the project. */
  files?: Record<string, string>;
}

export interface Style {
  name: string;
  model: StyleModel;
  /** Source of an asynchronous function's body that fills the content; `d(name)` gives a type's documents. */
  seed: string;
  /** Attributes whose stored values an export does not tell, so that filters and sorts on them are not asked. */
  unfiltered?: string[];
  /** The model that the project has afterwards, when it is exported and compared. */
  changed?: StyleModel;
}

export function to(relation: string, name: string, more: object = {}): Record<string, unknown> {
  return { type: 'relation', relation, target: name.includes('::') ? name : `api::${name}.${name}`, ...more };
}
