// Whatever a list of changes holds, it is applied or refused with what is wrong with it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkChangesInSteps } from '../../src/changes/batch/check-changes.ts';
import { operations } from '../../src/changes/entries/node-patch.ts';
import { keptChanges, refuseConditions } from '../../src/content/previews/kept-changes.ts';
import { RequestError, SnapshotError } from '../../src/core/errors.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { caseCount } from '../support/cases.ts';
import { article, author, load, optionsOf, roleUid } from './content.ts';

const names = [
  ...['title', 'rating', 'author', 'related', 'badge', 'subject', 'subjects', 'cover', 'seo', 'cards', 'blocks'],
  ...['id', 'documentId', 'locale', 'status', 'publishedAt', 'updatedAt', 'localizations', 'createdBy'],
  ...['text', 'metaTitle', 'picture', 'secret', 'unknown', '__component', '__proto__', 'constructor'],
];
const keys = [
  ...['documentId', '__type', '__component', 'id', 'position', 'before', 'after', 'start', 'end', 'component'],
  ...['set', 'locale', 'status', 'count', 'articles', 'type', 'permissions', 'text', 'seo', 'author', 'picture'],
];

const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      5,
      8,
      10,
      21,
      22,
      23,
      -1,
      1.5,
      2 ** 60,
      '',
      'one',
      'two',
      'ada',
      'en',
      'draft',
    ),
    fc.constantFrom<unknown>(author, 'shared.card', 'shared.seo', '2026-01-01T00:00:00.000Z', 'cover-1', 'gold'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
  ),
}));
const byAttribute = fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 3 });
const lists = fc.dictionary(fc.constantFrom(...names), fc.array(values, { maxLength: 3 }), { maxKeys: 3 });
const condition = fc.constantFrom<unknown>({ updatedAt: null }, { updatedAt: '2026-01-01T00:00:00.000Z' }, {}, 'x');
const conditions = fc.record(
  { if: condition, ifAbsent: fc.constantFrom<unknown>(true, false), at: values },
  { requiredKeys: [] },
);
const patches = fc
  .tuple(
    fc.constantFrom(article, author, roleUid),
    fc.constantFrom('one', 'ada', 'editor'),
    fc.record(Object.fromEntries(operations.map((name) => [name, fc.oneof(byAttribute, lists)])), { requiredKeys: [] }),
    fc.option(conditions, { freq: 5, nil: {} }),
  )
  .map(([type, documentId, given, more]) => ({ patch: type, documentId, ...given, ...more }));
const upserts = fc
  .tuple(byAttribute, fc.option(conditions, { freq: 5, nil: {} }))
  .map(([entry, more]) => ({ upsert: article, entry: { documentId: 'one', ...entry }, ...more }));
const changes = fc.array(fc.oneof(patches, upserts), { minLength: 1, maxLength: 3 });

test('random changes are applied, or refused with what is wrong', async () => {
  const tolerances = await Promise.all([load({}, 'strict'), load({}, 'tolerant')]);
  const counts = { applied: 0, refused: 0, conflicts: 0 };
  const check = (given: unknown, from: (typeof tolerances)[number]) => {
    try {
      runAtOnce(checkChangesInSteps(from.store, given, new Problems(from.tolerance, 'batch'), optionsOf(from)));
      counts.applied++;
    } catch (error) {
      if (error instanceof SnapshotError) {
        counts.refused++;
        for (const problem of error.problems) expect(problem).toMatch(/^changes|: /);
      } else if (error instanceof RequestError) {
        counts.conflicts++;
        expect(error.status).toBe(409);
      } else throw error;
    }
  };
  const property = fc.property(changes, fc.constantFrom(...tolerances), (given, from) => {
    // as over HTTP
    const sent = JSON.parse(JSON.stringify(given)) as unknown;
    check(sent, from);
    check(keptChanges(sent, 1), from);
    try {
      refuseConditions(sent);
    } catch (error) {
      expect(error).toBeInstanceOf(SnapshotError);
    }
  });
  fc.assert(property, { seed: 20261126, numRuns: caseCount(6000, 1500) });
  for (const [outcome, count] of Object.entries(counts)) expect(count, outcome).toBeGreaterThan(0);
});
