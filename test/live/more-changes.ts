/** Batches made of others, those about users, roles and locales, and those that must be rejected. */
import { USER } from '../naive/types.ts';
import type { Random } from '../property/random.ts';
import type { Change } from './changes.ts';
import { type Batch, type BatchLinks, keyOf, LOCALES, type Model, PERMISSIONS, ROLES, type Values } from './model.ts';
import { Ids } from './values.ts';

/** Two to five changes in one batch, each of the content that the others leave. */
export function several(changes: readonly Change[]): Change {
  return (random, model) => {
    const after = model.clone();
    const batches = random.many(2, 5, () => {
      const batch = random.pick(changes)(random, after);
      if (batch) after.apply(batch);
      return batch ?? [];
    });
    return joined(model, batches.flat());
  };
}

/** The same kind of change to about a third of the entries. */
export function many(change: Change): Change {
  return (random, model) => {
    const count = Math.ceil(Array.from(model.entities.values(), ({ size }) => size).reduce((a, b) => a + b, 0) / 3);
    return joined(model, random.many(count, count, () => change(random, model) ?? []).flat());
  };
}

/**
 * Of several values of one entry, or lists of one attribute, the last counts. An entry with the id of a live one of
 * another document only removes that. Links with dead ends are left out.
 */
function joined(model: Model, batches: readonly Batch[]): Batch {
  const last = lastByKey(
    batches.flatMap((batch) => batch.entities),
    ({ type, id }) => keyOf(type, id),
  );
  const entities = last.flatMap(({ type, id, data }) => {
    const live = model.rows(type).get(id);
    if (!live) return data === null ? [] : [{ type, id, data }];
    return [{ type, id, data: data?.documentId === live.documentId ? data : null }];
  });
  const all = batches.flatMap((batch) => batch.links);
  const lists = lastByKey(all, ({ type, id, attribute }) => `${keyOf(type, id)} ${attribute}`);
  const after = model.clone();
  after.apply({ entities, links: [] });
  const links = lists.filter(({ type, id }) => after.isLive(type, id));
  return {
    entities,
    links: links.map((list) => ({ ...list, targets: list.targets.filter((to) => after.isLive(to.type, to.id)) })),
  };
}

function lastByKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const last = new Map<string, Item>();
  for (const item of items) last.set(keyOf(item), item);
  return [...last.values()];
}

/** Changes what callers may read: roles, their permissions and their users. */
export function changeAccess(random: Random, model: Model): Batch | null {
  const ids = new Ids(model);
  const upsert = (type: string, id: number, data: Values, links: BatchLinks[] = []) => ({
    entities: [{ type, id, data }],
    links,
  });
  const pick = (type: string) => (model.rows(type).size > 0 ? random.pick([...model.rows(type)]) : null);
  const roleOf = (type: string, id: number): BatchLinks[] => {
    const role = random.chance(90) ? pick(ROLES) : null;
    const targets = role ? [{ type: ROLES, id: role[0], position: 0, inversePosition: 0 }] : [];
    return [{ type, id, attribute: 'role', targets }];
  };
  const [permission, role, user] = [pick(PERMISSIONS), pick(ROLES), pick(USER)];
  switch (random.integer(1, 7)) {
    case 1:
      return user && { entities: [], links: roleOf(USER, user[0]) };
    case 2:
      return permission && { entities: [{ type: PERMISSIONS, id: permission[0], data: null }], links: [] };
    case 3: {
      const id = ids.next(random, PERMISSIONS);
      const action = random.pick([...model.rows(PERMISSIONS).values()].map((data) => data.action));
      return upsert(
        PERMISSIONS,
        id,
        { documentId: `permission-${id}`, action: action ?? 'draft' },
        roleOf(PERMISSIONS, id),
      );
    }
    case 4:
      return permission && { entities: [], links: roleOf(PERMISSIONS, permission[0]) };
    case 5: {
      const id = ids.next(random, ROLES);
      return upsert(ROLES, id, { documentId: `role-${id}`, type: `role-${id}`, name: `Role ${id}` });
    }
    case 6:
      return role && upsert(ROLES, role[0], { ...role[1], name: `Renamed ${random.integer(1, 9)}` });
    default:
      return role && role[1].type !== 'public'
        ? { entities: [{ type: ROLES, id: role[0], data: null }], links: [] }
        : null;
  }
}

/** Adds or renames a locale. */
export function changeLocales(random: Random, model: Model): Batch | null {
  const id = new Ids(model).next(random, LOCALES);
  const code = `x${id}`;
  if (random.chance(40))
    return { entities: [{ type: LOCALES, id, data: { documentId: code, code, name: code } }], links: [] };
  const [known, data] = random.pick([...model.rows(LOCALES)]);
  return {
    entities: [{ type: LOCALES, id: known, data: { ...data, name: `Locale ${random.integer(1, 9)}` } }],
    links: [],
  };
}

/** A batch in which one part is wrong. The others are right, and must not be applied either. */
export function broken(right: Change): Change {
  return (random, model) => {
    const batch: Batch = structuredClone(right(random, model)) ?? { entities: [], links: [] };
    const [[type, rows]] = random.shuffled([...model.entities].filter(([, { size }]) => size > 0));
    const [id, data] = random.pick([...rows!]);
    const missing = { type: type!, id: 1_000_000, position: 0, inversePosition: 0 };
    const entity = (part: object) => batch.entities.push({ type: type!, id, data, ...part });
    const list = (part: object) => batch.links.push({ type: type!, id, attribute: 'role', targets: [], ...part });
    const [permission] = model.rows(PERMISSIONS).keys();
    const mistakes = [
      () => entity({ type: 'api::missing.missing' }),
      () => entity({ id: random.pick([0, -1, 1.5]) }),
      () => entity({ id: 1_000_000, data: null }),
      () => [entity({}), entity({})],
      () => entity({ data: { ...data, documentId: 'other' } }),
      () => list({ attribute: 'missing' }),
      () => list({ type: 'api::missing.missing' }),
      () => list({ type: USER, id: 1_000_000 }),
      () => list({ type: PERMISSIONS, id: permission, targets: [{ ...missing, type: ROLES }] }),
      () => list({ type: PERMISSIONS, id: permission, targets: [{ ...missing, type: 'api::missing.missing' }] }),
    ];
    random.pick(mistakes)();
    return batch;
  };
}
