import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import qs from 'qs';
import { open } from '../../src/index.ts';
import { evaluate } from '../naive/evaluate.ts';
import { type Expected, isObject, type Request, type Snapshot, Unspecified } from '../naive/snapshot.ts';
import { buildWorld, type World } from '../naive/world.ts';
import { sha256 } from '../support/guide.ts';
import type { Case } from './arbitraries.ts';
import { hasEmptyPart } from './smaller.ts';

export type Engine = Awaited<ReturnType<typeof open>>;

/**
 * Opens the snapshot with one API token for each role, named after it, and one for everything. A shrunk snapshot that
 * is no longer valid is skipped.
 */
export function openCase({ snapshot, dialect, database, features, shrunk }: Case): Promise<Engine> {
  const tokens = (snapshot.roles ?? []).map(({ type, permissions }) => {
    return { name: type, sha256: sha256(`token-${type}`), type: 'custom' as const, permissions };
  });
  const everything = { name: 'everything', sha256: sha256('token-everything'), type: 'full-access' as const };
  // what a budget refuses is no answer to compare
  const budgets = { steps: 1_000_000_000 };
  const opened = open(structuredClone(snapshot) as never, {
    dialect,
    database,
    tokens: [...tokens, everything],
    budgets,
    ...(features ? { features: [...features] } : {}),
  });
  return shrunk ? opened.catch(() => fc.pre(false) as never) : opened;
}

/** The engine's reply through `find` or `findOne`, in the form of the naive evaluator's. */
export function askDirectly(engine: Engine, { name, documentId, role, query }: Request): Found {
  try {
    const options = { role };
    const copy = structuredClone(query);
    const body =
      documentId === undefined ? engine.find(name, copy, options) : engine.findOne(name, documentId, copy, options);
    return { status: 200, body: JSON.parse(JSON.stringify(body)) };
  } catch (error) {
    const { status } = error as { status?: number };
    return status === undefined ? { status: 500, body: (error as Error).stack } : { status };
  }
}

/** The address of a request, or null for one that the limits of query strings may refuse. */
export function addressOf({ name, documentId, query }: Request): string | null {
  const text = qs.stringify(query, { encodeValuesOnly: true, strictNullHandling: true });
  if (text.length > 4000 || depthOf(query) > 18 || hasEmptyPart(query)) return null;
  const path = documentId === undefined ? name : `${name}/${encodeURIComponent(documentId)}`;
  return text === '' ? `/api/${path}` : `/api/${path}?${text}`;
}

/** The engine's reply through its address; public requests send no token. */
export async function askByAddress(engine: Engine, address: string, role: string | undefined): Promise<Found> {
  const authorization = role === 'public' ? undefined : `Bearer token-${role ?? 'everything'}`;
  const reply = await engine.answer(address, { authorization });
  const body = JSON.parse(reply.body.toString('utf8'));
  return reply.status === 200 ? { status: 200, body } : { status: reply.status };
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** The query as a query string carries it: every value is text. */
export function asText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asText);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asText(item)]));
  return value === null ? null : String(value);
}

/** What the engine did; anything but a reply or a refusal is a 500 with the stack in its body. */
export interface Found {
  status: number;
  body?: unknown;
}

export interface Difference {
  snapshot: Snapshot;
  dialect: Case['dialect'];
  database: Case['database'];
  features: Case['features'];
  request: Request;
  address: string | null;
  expected: Expected;
  found: Found;
}

/**
 * Asks the engine and the naive evaluator everything in the case, each third request by its address as well.
 * Calls `counted` for every comparison. Returns the first difference, or null.
 */
export async function compareCase(value: Case, counted: () => void): Promise<Difference | null> {
  const engine = await openCase(value);
  const world = buildWorld(value.snapshot, value.database, value.features);
  for (const [position, request] of value.requests.entries()) {
    const difference = (expected: Expected | null, found: Found, address: string | null): Difference | null => {
      if (expected === null) return null;
      counted();
      if (isDeepStrictEqual(found, JSON.parse(JSON.stringify(expected)))) return null;
      return {
        snapshot: value.snapshot,
        dialect: value.dialect,
        database: value.database,
        features: value.features,
        request,
        address,
        expected,
        found,
      };
    };
    const direct = difference(expectedReply(value, world, request), askDirectly(engine, request), null);
    if (direct) return direct;
    const address = value.requests.length === 1 || position % 3 === 0 ? addressOf(request) : null;
    if (address === null) continue;
    const textRequest = { ...request, query: asText(request.query) as Request['query'] };
    const found = await askByAddress(engine, address, request.role);
    const addressed = difference(expectedReply(value, world, textRequest), found, address);
    if (addressed) return addressed;
  }
  return null;
}

/** The naive evaluator's reply, or null where no document settles it. */
function expectedReply(value: Case, world: World, request: Request): Expected | null {
  try {
    return evaluate(world, value.dialect, request);
  } catch (error) {
    if (error instanceof Unspecified) return null;
    throw error;
  }
}
