/** The form of a patch of an entry or component: operations, each by attribute. */
import { z } from 'zod';

/** Where an item of a list stands: one of the four. `Key` names another item. */
export type Position<Key> =
  | { readonly before: Key }
  | { readonly after: Key }
  | { readonly start: true }
  | { readonly end: true };

/** Names a document: by its documentId, or as in a reply of the API. `__type` names the type of a polymorphic target. */
export type DocumentReference = string | { readonly documentId: string; readonly __type?: string };

/** A reference as Strapi's document service writes it. */
export type Connection =
  | string
  | {
      readonly documentId: string;
      readonly __type?: string;
      /** Counts if the referring entry has no locale. */
      readonly locale?: string;
      /** Counts if the referring entry has no drafts. */
      readonly status?: 'draft' | 'published';
      readonly position?: Position<DocumentReference>;
    };

/** Names a component of an attribute. In a dynamic zone, components of different types may have the same id. */
export type ComponentKey = number | { readonly id: number; readonly __component?: string };

export interface AddedComponent {
  readonly component: Readonly<Record<string, unknown>>;
  readonly position?: Position<ComponentKey>;
}

export interface MovedComponent {
  readonly id: number;
  readonly __component?: string;
  readonly position: Position<ComponentKey>;
}

/** A patch of a component in a list. */
export interface ComponentPatch extends NodePatch {
  readonly id: number;
  readonly __component?: string;
}

type ByAttribute<Value> = Readonly<Record<string, Value>>;

/** Operations on an entry or component, in the order in which they are made. Each holds a value for each attribute. */
export interface NodePatch {
  /** Values that are replaced as a whole, in the form of an upsert. */
  readonly set?: ByAttribute<unknown>;
  readonly disconnect?: ByAttribute<readonly DocumentReference[]>;
  readonly connect?: ByAttribute<readonly Connection[]>;
  /** Documents that come first in their list, in this order. */
  readonly order?: ByAttribute<readonly DocumentReference[]>;
  readonly remove?: ByAttribute<readonly ComponentKey[]>;
  /** Patches of components: of the only one of the attribute, or of some in its list. */
  readonly components?: ByAttribute<NodePatch | readonly ComponentPatch[]>;
  readonly add?: ByAttribute<readonly AddedComponent[]>;
  readonly move?: ByAttribute<readonly MovedComponent[]>;
}

/** The operations of a patch, in the order in which they are made. */
export const operations = ['set', 'disconnect', 'connect', 'order', 'remove', 'components', 'add', 'move'] as const;

/** Items are checked by their operation. */
const list = z.custom<readonly unknown[]>(Array.isArray, 'must be a list');
const lists = z.record(z.string(), list).optional();

export const nodePatch = z.strictObject({
  set: z.record(z.string(), z.unknown()).optional(),
  disconnect: lists,
  connect: lists,
  order: lists,
  remove: lists,
  components: z.record(z.string(), z.unknown()).optional(),
  add: lists,
  move: lists,
});

export const componentPatch = nodePatch.extend({ id: z.int().min(1), __component: z.string().optional() });

/** A patch of the only component of an attribute may name it. */
export const onlyComponentPatch = componentPatch.partial({ id: true });

const oneOf = 'must be one of {"before": …}, {"after": …}, {"start": true} and {"end": true}';

/** A position next to an item that `key` accepts. */
function positionBy<Key extends z.ZodType>(key: Key) {
  const isTrue = z.literal(true);
  return z.union(
    [
      z.strictObject({ before: key }),
      z.strictObject({ after: key }),
      z.strictObject({ start: isTrue }),
      z.strictObject({ end: isTrue }),
    ],
    oneOf,
  );
}

const componentKeyForm = 'must be the id of a component, or an object with "id" and "__component"';

export const componentKey = z.union(
  [z.int().min(1), z.strictObject({ id: z.int().min(1), __component: z.string().optional() })],
  componentKeyForm,
);

export const addedComponent = z.strictObject({
  component: z.record(z.string(), z.unknown()),
  position: positionBy(componentKey).optional(),
});

export const movedComponent = z.strictObject({
  id: z.int().min(1),
  __component: z.string().optional(),
  position: positionBy(componentKey),
});

/** A position next to a document. Its reference is read by its attribute. */
export const documentPosition = positionBy(z.unknown());
