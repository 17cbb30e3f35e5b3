/** A naive model of patches: each operation on a plain entry as it is read, in the order that docs/live-content.md gives. */

export type Entry = Record<string, unknown>;
/** A patch of an entry or component, without what names it. */
export type Operations = Record<string, Record<string, unknown> | undefined>;

interface Place {
  before?: unknown;
  after?: unknown;
  start?: true;
  end?: true;
}

const lists = ['related', 'subjects', 'cards', 'blocks'];

/** What an item of a list is known by: the id of a component with its type, or the document of a reference. */
function keyOf(item: unknown): string {
  if (typeof item === 'number') return `#${item}`;
  if (typeof item === 'string') return item;
  const { id, __component = '', __type = '', documentId } = item as Entry;
  return documentId === undefined ? `#${id}${__component}` : `${__type}${documentId}`;
}

/** A number names a component of a list with one type. */
const isSame = (item: unknown, key: unknown) =>
  typeof key === 'number' ? (item as Entry).id === key : keyOf(item) === keyOf(key);

function place(items: unknown[], item: unknown, { before, after, start }: Place): unknown[] {
  const known = items.findIndex((other) => isSame(other, item));
  const rest = items.filter((_, i) => i !== known);
  const next = before ?? after;
  if (next !== undefined && isSame(item, next)) return items;
  const at = next === undefined ? -1 : rest.findIndex((other) => isSame(other, next));
  if (start) return [item, ...rest];
  if (at < 0) return [...rest, item];
  const index = before === undefined ? at + 1 : at;
  return [...rest.slice(0, index), item, ...rest.slice(index)];
}

function referenceOf(connection: unknown): { item: unknown; position?: Place } {
  if (typeof connection === 'string') return { item: connection };
  const { position, __type, documentId } = connection as Entry & { position?: Place };
  return { item: __type === undefined ? documentId : { __type, documentId }, position };
}

/** Returns an entry or component after a patch. */
export function naivePatch(entry: Entry, patch: Operations): Entry {
  const next = structuredClone(entry);
  const listOf = (name: string) => [next[name] ?? []].flat();
  const put = (name: string, items: unknown[]) => {
    next[name] = lists.includes(name) ? items : (items[0] ?? null);
  };
  const each = (operation: string, change: (name: string, operands: unknown[]) => void) => {
    for (const [name, operands] of Object.entries(patch[operation] ?? {})) change(name, operands as unknown[]);
  };
  Object.assign(next, structuredClone(patch.set ?? {}));
  each('disconnect', (name, documents) =>
    put(
      name,
      listOf(name).filter((item) => !documents.some((document) => isSame(item, document))),
    ),
  );
  each('connect', (name, connections) => {
    for (const { item, position } of connections.map(referenceOf)) {
      const isConnected = listOf(name).some((other) => isSame(other, item));
      if (!lists.includes(name)) put(name, [item]);
      else if (!isConnected || position) put(name, place(listOf(name), item, position ?? {}));
    }
  });
  each('order', (name, documents) => {
    const first = documents.flatMap((document) => listOf(name).filter((item) => isSame(item, document)));
    put(name, [...first, ...listOf(name).filter((item) => !first.includes(item))]);
  });
  each('remove', (name, keys) =>
    put(
      name,
      listOf(name).filter((item) => !keys.some((key) => isSame(item, key))),
    ),
  );
  each('components', (name, patches) => {
    for (const { id, __component, ...operations } of [patches].flat() as (Operations & { id?: unknown })[]) {
      const key = __component === undefined ? id : { id, __component };
      const isPatched = (item: unknown) => id === undefined || isSame(item, key);
      put(
        name,
        listOf(name).map((item) => (isPatched(item) ? naivePatch(item as Entry, operations) : item)),
      );
    }
  });
  each('add', (name, added) => {
    for (const { component, position = {} } of added as { component: Entry; position?: Place }[]) {
      put(name, place(listOf(name), component, position));
    }
  });
  each('move', (name, moved) => {
    for (const { id, __component, position } of moved as (Entry & { position: Place })[]) {
      const item = listOf(name).find((other) => isSame(other, __component === undefined ? id : { id, __component }));
      put(name, place(listOf(name), item, position));
    }
  });
  return next;
}
