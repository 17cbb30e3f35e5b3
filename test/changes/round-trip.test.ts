// What a read in the form that is written gives, an upsert sends back, and nothing changes.
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchLimits } from '../../src/changes/batch/batch.ts';
import { checkChangesInSteps } from '../../src/changes/batch/check-changes.ts';
import type { Change } from '../../src/changes/batch/json-change.ts';
import { WrittenEntries } from '../../src/changes/entries/written-entries.ts';
import { applyCheckedInSteps } from '../../src/content/versions/change-loaded.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { isAdministration, localeType } from '../../src/model/schema/schema.ts';
import { readText } from '../../src/store/read-value.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { caseCount } from '../support/cases.ts';
import { guideFolder } from '../support/guide.ts';
import { definitions, load, optionsOf } from './content.ts';
import { EntrySequences } from './random-entries.ts';

/** Returns an upsert for each entry of a content. */
function upsertsOf(loaded: LoadedSnapshot): Change[] {
  const written = new WrittenEntries(loaded.store, optionsOf(loaded));
  return loaded.store.segments.flatMap((segment) => {
    const { type } = segment.collection;
    const isContent = type.kind !== 'component' && !isAdministration(type.uid);
    // the locales of a JSON snapshot are settings
    if (!isContent || (type.uid === localeType && loaded.kind === 'json')) return [];
    const rows = Array.from({ length: segment.rowCount }, (_, row) => row).filter((row) => segment.isLive(row));
    const named = rows.filter((row) => readText(segment, row, 'documentId') !== null);
    // as over HTTP
    return named.map((row) => ({ upsert: type.uid, entry: JSON.parse(JSON.stringify(written.entry(type, row))) }));
  });
}

function apply(loaded: LoadedSnapshot, changes: readonly Change[]) {
  const problems = new Problems(loaded.tolerance, 'batch');
  const options = { ...optionsOf(loaded), uploadNames: loaded.uploadedFiles?.names ?? null };
  const checked = runAtOnce(checkChangesInSteps(loaded.store, changes, problems, options));
  return { checked, loaded: runAtOnce(applyCheckedInSteps(loaded, checked.changes)).loaded };
}

function expectUnchanged(loaded: LoadedSnapshot, changes: readonly Change[]): void {
  const { checked, loaded: after } = apply(loaded, changes);
  expect(checked.batch.links).toEqual([]);
  expect(checked.unlinked.count).toBe(0);
  expect(after.store.contentDigest).toBe(loaded.store.contentDigest);
  expect([...after.blockedUsers].sort()).toEqual([...loaded.blockedUsers].sort());
  expect(rolesOf(after)).toEqual(rolesOf(loaded));
}

/** The name of a role is its type by default, and its permissions are a set. */
function rolesOf({ roles }: LoadedSnapshot) {
  return roles.map(({ type, name = type, permissions }) => ({ type, name, permissions: [...permissions].sort() }));
}

describe('an entry that is read and sent back changes nothing', () => {
  test('in generated content', async () => {
    const property = fc.asyncProperty(new EntrySequences(1), async ([entries]) => {
      const loaded = await loadSnapshot({ ...definitions, entries } as never);
      const changes = upsertsOf(loaded);
      expectUnchanged(loaded, changes);
      for (const change of changes) expectUnchanged(loaded, [change]);
    });
    await fc.assert(property, { seed: 20261126, numRuns: caseCount(60, 10) });
  });

  test('in content with published entries without a date', async () => {
    const loaded = await load();
    expectUnchanged(loaded, upsertsOf(loaded));
  });

  test.each([
    ['the demo', 'data/demo', {}],
    ['the guide', guideFolder, {}],
    ['an export', gazetteExport, {}],
    ['an export with addresses of files', gazetteExport, { mediaUrl: 'https://cdn.example.org/' }],
    ['an export with forms', 'test/conformance/forms/export.tar.gz', {}],
    ['an export with many types', 'test/conformance/almanac/export.tar.gz', {}],
    ['an export of Strapi 4', 'test/conformance/museum/export.tar.gz', {}],
  ])('in %s', async (_, source, options) => {
    const loaded = await loadSnapshot(resolve(source), options);
    const changes = upsertsOf(loaded);
    expect(changes.length).toBeGreaterThan(10);
    for (let start = 0; start < changes.length; start += batchLimits.entities) {
      expectUnchanged(loaded, changes.slice(start, start + batchLimits.entities));
    }
  });
});
