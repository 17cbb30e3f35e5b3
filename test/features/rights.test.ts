// What a caller may not read changes no reply to a query that uses features.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dialect, Entry, Snapshot } from '../naive/snapshot.ts';
import { contentTypes } from '../naive/types.ts';
import { cases } from '../property/arbitraries.ts';
import { addressOf, askByAddress, askDirectly, openCase } from '../property/engine.ts';
import { caseCount } from '../support/cases.ts';
import { askedFeatures as features } from '../support/features.ts';

/** The same content without the entries that `isKept` leaves out. All others keep their ids. */
function reduced(snapshot: Snapshot, isKept: (uid: string, entry: Entry) => boolean): Snapshot {
  const copy = structuredClone(snapshot);
  for (const { uid, singularName } of Object.values(contentTypes(copy))) {
    const entries = copy.entries[singularName] ?? [];
    let last = Math.max(0, ...entries.map(({ id }) => (id as number | undefined) ?? 0));
    for (const entry of entries) entry.id ??= ++last;
    copy.entries[singularName] = entries.filter((entry) => isKept(uid, entry));
  }
  const left = new Set(Object.values(copy.entries).flatMap((entries) => entries.map(({ documentId }) => documentId)));
  for (const entries of Object.values(copy.entries)) for (const entry of entries) unlink(entry, left);
  return copy;
}

/** Takes out what refers to documents that are gone; the names of documents are like no other text. */
function unlink(entry: Entry, left: ReadonlySet<unknown>): void {
  const isGone = (value: unknown): boolean => {
    if (typeof value === 'string') return /^[a-z]+-\d+$/.test(value) && !left.has(value);
    if (typeof value !== 'object' || value === null) return false;
    if ('__type' in value) return isGone((value as Entry).documentId);
    unlink(value as Entry, left);
    return false;
  };
  for (const [key, value] of Object.entries(entry)) {
    if (key === 'documentId') continue;
    if (Array.isArray(value)) entry[key] = value.filter((item) => !isGone(item));
    else if (isGone(value)) entry[key] = null;
  }
}

async function expectEqual(dialect: Dialect, isHidden: (may: Set<string>, uid: string, entry: Entry) => boolean) {
  let asked = 0;
  let answered = 0;
  const arbitrary = cases({ dialect, features, requests: 40, withRoles: true });
  const property = fc.asyncProperty(arbitrary, async (value) => {
    const whole = await openCase({ ...value, snapshot: reduced(value.snapshot, () => true) });
    for (const role of value.snapshot.roles!) {
      const may = new Set(role.permissions);
      const less = reduced(value.snapshot, (uid, entry) => !isHidden(may, uid, entry));
      const part = await openCase({ ...value, snapshot: less, shrunk: true });
      for (const request of value.requests.filter((candidate) => candidate.role === role.type)) {
        const found = askDirectly(whole, request);
        expect({ request, ...askDirectly(part, request) }).toEqual({ request, ...found });
        const address = addressOf(request);
        if (address === null) continue;
        const told = await askByAddress(whole, address, request.role);
        expect({ address, ...(await askByAddress(part, address, request.role)) }).toEqual({ address, ...told });
        asked++;
        if (found.status === 200) answered++;
      }
    }
  });
  await fc.assert(property, { seed: 20261126, numRuns: caseCount(60, 8) });
  expect(asked).toBeGreaterThan(40);
  expect(answered).toBeGreaterThan(asked / 4);
}

test.each(['document', 'strapi'] as const)('entries of types that a role may not read do not show, in %s', (dialect) =>
  expectEqual(dialect, (may, uid) => uid.startsWith('api::') && !may.has(`${uid}.find`) && !may.has(`${uid}.findOne`)),
);

test('drafts do not show to a role that may not read them', () =>
  expectEqual('document', (may, _, { status }) => !may.has('draft') && status === 'draft'));
