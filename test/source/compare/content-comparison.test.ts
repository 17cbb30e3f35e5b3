// A comparison finds the batch that leads from a content to a later one. Applied, it gives what a fresh load gives.
import { expect, test } from 'vitest';
import { accessAfter } from '../../../src/changes/batch/access-changes.ts';
import { applyBatchInSteps } from '../../../src/changes/batch/apply-batch.ts';
import { checkBatchInSteps } from '../../../src/changes/batch/check-batch.ts';
import { Problems } from '../../../src/core/problems.ts';
import { runAtOnce } from '../../../src/core/steps.ts';
import { type ComparedContent, ContentComparison } from '../../../src/follow/compare/content-comparison.ts';
import { type ContentState, emptyState } from '../../../src/follow/compare/content-state.ts';
import type { LoadedSnapshot } from '../../../src/load/loaded.ts';
import { loadStrapiContent, type StrapiContent } from '../../../src/load/strapi/strapi-content.ts';
import { readDefinition } from '../../../src/load/strapi/strapi-export.ts';
import { prepareDigests } from '../../../src/store/writer/rows/row-digest.ts';
import { kinds } from '../../live/kinds.ts';
import type { Model } from '../../live/model.ts';
import { completeSnapshot, modelOf } from '../../live/model-of-snapshot.ts';
import { randomFrom } from '../../live/random-from.ts';
import { linesOf } from '../../live/write-export.ts';
import { fillContent } from '../../property/content.ts';
import { randomSchema } from '../../property/schema.ts';
import { caseCount } from '../../support/cases.ts';

type Line = Record<string, unknown>;
interface Link extends Line {
  left: Line;
  right: Line;
}
interface Lines {
  readonly schemas: readonly Line[];
  readonly entities: readonly Line[];
  readonly links: readonly Link[];
  readonly configuration: readonly Line[];
}

/** The lines of a model. In every third relation, the links have no positions. */
function linesWithoutSomePositions(model: Model): Lines {
  const lines = linesOf(model) as unknown as Lines;
  const isWithout = ({ left }: Link) => `${left.type}${left.field}`.length % 3 === 0;
  const links = lines.links.map((link) =>
    isWithout(link) ? { ...link, left: { ...link.left, pos: null }, right: { ...link.right, pos: null } } : link,
  );
  return { ...lines, links };
}

async function load({ schemas, ...lines }: Lines) {
  const problems = new Problems('tolerant');
  const content: StrapiContent = {
    strapiVersion: '5.54.0',
    types: schemas.flatMap((schema) => readDefinition(schema, '', problems) ?? []),
    has: () => true,
    each: async (stage, take) => {
      for (const line of lines[stage]) take(line as Line, '');
    },
    uploadedFiles: async () => null,
  };
  return loadStrapiContent(content, 'model', problems, {});
}

/** The names of tables of links: one for each attribute, and one for all media. */
const tableOf = ({ left }: Link) => (left.field === 'related' ? 'files' : `${left.type} ${left.field}`);

function compareLinks(
  comparison: ContentComparison,
  links: readonly Link[],
  tables: Iterable<string>,
): ComparedContent {
  comparison.beginLinks();
  for (const table of tables) {
    comparison.beginTable();
    for (const link of links) if (tableOf(link) === table) comparison.addLink(link);
    comparison.endTable(table);
  }
  return comparison.finish();
}

/** Reads everything. */
function compareAll(before: ContentState, lines: Lines, keepsChanges: boolean): ComparedContent {
  const comparison = new ContentComparison(before, keepsChanges);
  for (const uid of new Set([...lines.entities.map(({ type }) => type as string), ...before.entries.keys()])) {
    comparison.entries.readWhole(uid);
  }
  for (const line of lines.entities) comparison.entries.add(line);
  return compareLinks(comparison, lines.links, new Set([...lines.links.map(tableOf), ...before.links.keys()]));
}

/** Reads only the entries that differ, and all tables of links. */
function compareSome(before: ContentState, old: Lines, lines: Lines): ComparedContent {
  const comparison = new ContentComparison(before, true);
  const textOf = (list: readonly Line[]) =>
    new Map(list.map((line) => [`${line.type} ${line.id}`, { line, text: JSON.stringify(line) }]));
  const [known, present] = [textOf(old.entities), textOf(lines.entities)];
  for (const [key, { line, text }] of present) if (known.get(key)?.text !== text) comparison.entries.add(line);
  for (const [key, { line }] of known) {
    if (!present.has(key)) comparison.entries.remove(line.type as string, line.id as number);
  }
  return compareLinks(comparison, lines.links, new Set([...lines.links.map(tableOf), ...before.links.keys()]));
}

test('the batch of a comparison leads to what a fresh load gives', async () => {
  await prepareDigests();
  const first = Number(process.env.SEED ?? 1);
  let applied = 0;
  for (let seed = first; seed < first + caseCount(30, 6); seed++) {
    const random = randomFrom(seed);
    const snapshot = randomSchema(random);
    fillContent(random, snapshot);
    completeSnapshot(snapshot);
    const model = modelOf(snapshot);
    let lines = linesWithoutSomePositions(model);
    let loaded = await load(lines);
    let { state } = compareAll(emptyState(loaded.store.schema), lines, false);
    for (let step = 0; step < 12; step++) {
      const [name, draw] = random.pick(Object.entries(kinds));
      const change = draw(random, model);
      if (!change) continue;
      model.apply(change);
      const after = linesWithoutSomePositions(model);
      const compared = random.chance(30) ? compareAll(state, after, true) : compareSome(state, lines, after);
      const fresh = await load(after);
      const at = [seed, step, name];
      const { kind, dialect, addresses, roles, blockedUsers } = loaded;
      const options = { kind, dialect, addresses, roles, blockedUsers, uploadNames: null };
      const problems = new Problems('tolerant', 'batch');
      const { changes } = runAtOnce(checkBatchInSteps(loaded.store, compared.batch, problems, options));
      const { store } = runAtOnce(applyBatchInSteps(loaded.store, changes));
      const access = accessAfter(options, changes.access);
      expect([...at, store.contentDigest]).toEqual([...at, fresh.store.contentDigest]);
      expect([...at, namesOf(access)]).toEqual([...at, namesOf(fresh)]);
      // a second comparison finds nothing
      expect([...at, compareAll(compared.state, after, true).batch]).toEqual([...at, { entities: [], links: [] }]);
      state = compared.state;
      lines = after;
      loaded = { ...loaded, store, roles: access.roles, blockedUsers: access.blockedUsers };
      applied++;
    }
  }
  expect(applied).toBeGreaterThan(40);
});

/** Roles and blocked users without the order of permissions. */
function namesOf({ roles, blockedUsers }: Pick<LoadedSnapshot, 'roles' | 'blockedUsers'>): object {
  const sorted = roles.map((role) => ({ ...role, permissions: [...role.permissions].sort() }));
  return { roles: sorted, blockedUsers: [...blockedUsers].sort() };
}
