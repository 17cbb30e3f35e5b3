import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Request } from '../naive/snapshot.ts';
import { attributeOf, contentTypes, isMany, isScalar, servedNames, type Type } from '../naive/types.ts';
import { isOrdered, plainText } from '../naive/values.ts';
import { caseCount } from '../support/cases.ts';
import { type Case, type CaseOptions, cases } from './arbitraries.ts';
import { addressOf, askDirectly, type Engine, openCase } from './engine.ts';

/** Properties of replies that hold for any content, checked with the engine alone. */

const seed = Number(process.env.LECTERN_SEED || 20261120);
const runs = Number(process.env.LECTERN_RUNS || caseCount(40, 15));

interface Reply {
  data: { id: number }[];
  meta: { pagination: { total?: number } };
}

/** Requests all entries of a collection in pages of 100. Null if the request is rejected or not of a collection. */
function askAll(engine: Engine, request: Request, query: Request['query'] = request.query): Reply | null {
  const data: Reply['data'] = [];
  for (let start = 0; ; start += 100) {
    const found = askDirectly(engine, { ...request, query: { ...query, pagination: { start, limit: 100 } } });
    const body = found.body as Reply;
    if (found.status !== 200 || !Array.isArray(body.data)) return null;
    data.push(...body.data);
    if (body.data.length < 100) return { data, meta: body.meta };
  }
}

function idsOf(engine: Engine, request: Request, filters: unknown): number[] {
  return askAll(engine, request, { ...request.query, filters })!.data.map((entry) => entry.id);
}

const ascending = (ids: Iterable<number>) => [...new Set(ids)].sort((a, b) => a - b);

interface Subject {
  engine: Engine;
  value: Case;
  type: Type;
  request: Request;
  reply: Reply;
}

const options: CaseOptions[] = [
  { dialect: 'document', requests: 15, withRoles: false },
  { dialect: 'document', requests: 15, withRoles: true },
  { dialect: 'strapi', requests: 15, withRoles: false },
  { dialect: 'strapi', requests: 15, withRoles: true },
];

/** Opens a case and returns its requests that are answered with a list, each with its whole reply. */
async function subjectsOf(value: Case): Promise<Subject[]> {
  const engine = await openCase(value);
  const types = Object.values(contentTypes(value.snapshot));
  return value.requests.flatMap((request) => {
    const type = types.find((candidate) => candidate.pluralName === request.name);
    const reply = type && request.documentId === undefined ? askAll(engine, request) : null;
    return type && reply ? [{ engine, value, type, request, reply }] : [];
  });
}

/** The subjects of each run. Every test draws the same cases from the same seed, so that each is opened only once. */
const drawn: Subject[][] = [];

/** Checks every subject. The check must apply at least `atLeast` times per case; it returns false if it does not. */
function holds(name: string, atLeast: number, check: (subject: Subject) => unknown): void {
  test(name, { timeout: 120_000 }, async () => {
    let checked = 0;
    let run = 0;
    const property = fc.asyncProperty(fc.oneof(...options.map(cases)), async (value) => {
      const subjects = value.shrunk ? await subjectsOf(value) : (drawn[run++] ??= await subjectsOf(value));
      for (const subject of subjects) {
        if ((await check(subject)) !== false && !value.shrunk) checked += 1;
      }
    });
    const details = await fc.check(property, { seed, numRuns: runs });
    if (details.failed) {
      const [value] = details.counterexample!;
      const cause = details.errorInstance instanceof Error ? details.errorInstance.message : details.errorInstance;
      throw new Error(`seed ${seed}, path "${details.counterexamplePath}"\n${cause}\n${JSON.stringify(value)}`);
    }
    if (runs >= 20) expect(checked).toBeGreaterThanOrEqual(atLeast * runs);
  });
}

holds('pages together are the whole list, and the total is its length', 4, ({ engine, request, reply }) => {
  const entries: { id: number }[] = [];
  const pageSize = reply.data.length > 20 ? 17 : 2;
  for (let page = 1; ; page++) {
    const query = { ...request.query, pagination: { page, pageSize } };
    const { data, meta } = (askDirectly(engine, { ...request, query }) as { body: Reply }).body;
    expect(meta.pagination.total).toBe(reply.data.length);
    if (data.length === 0) break;
    entries.push(...data);
  }
  expect(entries.map((entry) => entry.id)).toEqual(reply.data.map((entry) => entry.id));
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length);
});

/** Whether a filter has no relations. Through a relation, a filter and its negation may both be true. */
function isPlain(type: Type, filter: unknown): boolean {
  if (Array.isArray(filter)) return filter.every((item) => isPlain(type, item));
  return Object.entries(filter as object).every(([key, value]) => {
    if (key.startsWith('$')) return isPlain(type, value);
    const attribute = attributeOf(type, key);
    return attribute !== undefined && isScalar(attribute);
  });
}

holds('a filter and its negation share no entry', 1, ({ engine, type, request, reply }) => {
  const { filters } = request.query;
  if (filters === undefined || !isPlain(type, filters)) return false;
  const negated = new Set(idsOf(engine, request, { $not: filters }));
  expect(reply.data.filter((entry) => negated.has(entry.id))).toEqual([]);
  expect(idsOf(engine, request, { $and: [filters, { $not: filters }] })).toEqual([]);
  return true;
});

/** The conditions on to-many relations and repeatable components in a filter, each as a separate filter. */
function visitsToMany(type: Type, filter: unknown): object[] {
  if (Array.isArray(filter)) return filter.flatMap((item) => visitsToMany(type, item));
  return Object.entries(filter as object).flatMap(([key, value]) => {
    if (key.startsWith('$')) return visitsToMany(type, value);
    const attribute = attributeOf(type, key)!;
    return !isScalar(attribute) && isMany(attribute) ? [{ [key]: value }] : [];
  });
}

holds('$not of a relation to many is the complement', 0.5, ({ engine, value, type, request }) => {
  const { filters, ...query } = request.query;
  if (filters === undefined || value.dialect !== 'document') return false;
  const visits = visitsToMany(type, filters);
  if (visits.length === 0) return false;
  const everything = ascending(askAll(engine, request, query)!.data.map((entry) => entry.id));
  for (const visit of visits) {
    const matching = idsOf(engine, request, visit);
    const others = idsOf(engine, request, { $not: visit });
    expect([...matching, ...others].sort((a, b) => a - b)).toEqual(everything);
    expect(idsOf(engine, request, { $not: { $not: visit } })).toEqual(matching);
  }
  return true;
});

holds('$or is the union', 2, ({ engine, value, request, reply }) => {
  const { filters } = request.query;
  const other = value.requests.find((candidate) => candidate !== request && candidate.name === request.name);
  const otherFilters = other?.query.filters;
  // a locale at the top of the filters replaces the parameter, in an $or it does not
  const namesLocale = [filters, otherFilters].some((given) => Object.hasOwn(given ?? {}, 'locale'));
  if (!filters || !otherFilters || namesLocale) return false;
  if (!askAll(engine, request, { ...request.query, filters: otherFilters })) return false;
  const united = [...reply.data.map((entry) => entry.id), ...idsOf(engine, request, otherFilters)];
  expect(ascending(idsOf(engine, request, { $or: [filters, otherFilters] }))).toEqual(ascending(united));
  return true;
});

holds('$in is the union of $eq', 2, ({ engine, type, request }) => {
  const everything = askAll(engine, { name: request.name, query: { locale: '*' } })!.data as Record<string, unknown>[];
  let found = false;
  for (const name of servedNames(type)) {
    const attribute = attributeOf(type, name)!;
    if (!isOrdered(attribute)) continue;
    const served = everything.map((entry) => entry[name]).filter((value) => value !== null);
    const values = attribute.type === 'richtext' ? served.map(plainText) : served;
    if (values.length === 0) continue;
    const some = [...new Set(values)].slice(0, 3);
    const united = some.flatMap((value) => idsOf(engine, request, { [name]: { $eq: value } }));
    expect(ascending(idsOf(engine, request, { [name]: { $in: some } }))).toEqual(ascending(united));
    found = true;
  }
  return found;
});

holds('populate does not change which entries are returned', 2, ({ engine, request, reply }) => {
  if (request.query.populate === undefined) return false;
  const { populate: _, ...query } = request.query;
  expect(askAll(engine, request, query)!.data.map((entry) => entry.id)).toEqual(reply.data.map((entry) => entry.id));
  return true;
});

/** Whether `whole` contains everything in `part`. List items are matched by id and type. */
function isPart(part: unknown, whole: unknown): boolean {
  if (part === null || typeof part !== 'object') return part === null || part === whole;
  if (Array.isArray(part)) {
    if (!Array.isArray(whole)) return false;
    const sameItem = (a: any, b: any) =>
      a?.id === b?.id && a?.__type === b?.__type && a?.__component === b?.__component;
    return part.every(
      (item, i) => isPart(item, whole[i]) || whole.some((other) => sameItem(item, other) && isPart(item, other)),
    );
  }
  return Object.entries(part).every(([key, value]) => isPart(value, (whole as Record<string, unknown> | null)?.[key]));
}

holds('a role sees a subset of what is visible without one', 1, ({ engine, request, reply }) => {
  if (request.role === undefined) return false;
  const { role: _, ...withoutRole } = request;
  const whole = askAll(engine, withoutRole);
  expect(whole).not.toBeNull();
  expect(reply.data.map((entry) => entry.id)).toEqual(whole!.data.map((entry) => entry.id));
  expect(isPart(reply.data, whole!.data)).toBe(true);
  return true;
});

holds('a repeated request has the same bytes, whoever else asked in between', 3, async ({ engine, request }) => {
  const address = addressOf(request);
  if (address === null) return false;
  const ask = async (role: string | undefined) => {
    const reply = await engine.answer(address, { authorization: `Bearer token-${role ?? 'everything'}` });
    return `${reply.status} ${reply.body.toString('utf8')}`;
  };
  const first = await ask(request.role);
  for (const role of [undefined, 'public', 'reader', 'editor']) await ask(role);
  expect(await ask(request.role)).toBe(first);
  return true;
});
