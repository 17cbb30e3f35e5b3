import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change } from '../../src/changes/batch/json-change.ts';
import { Content } from '../../src/content/content.ts';
import { listsInSteps } from '../../src/content/previews/preview-changes.ts';
import { PreviewUpdates } from '../../src/content/previews/preview-updates.ts';
import { SnapshotError } from '../../src/core/errors.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { caseCount } from '../support/cases.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';
import { previewOf } from './preview-of.ts';

/** Previews fold the changes of an entry into one. They show what the changes lead to one after the other. */

const locales = ['en', 'fr'] as const;
const statuses = ['draft', 'published'] as const;
const typeNames = ['thing', 'other'] as const;
const documentIds = ['d0', 'd1', 'd2', 'd3'];
const roleTypes = ['public', 'editor', 'guest'];
const roleType = 'plugin::users-permissions.role';
const actions = [
  'draft',
  ...typeNames.flatMap((name) => ['find', 'findOne'].map((action) => `api::${name}.${name}.${action}`)),
];

/** The time of all changes: both ways make them at the same time. */
const at = '2026-03-01T12:00:00.000Z';

const uidOf = (name: string) => `api::${name}.${name}`;

const typeOptions = fc.record({ drafts: fc.boolean(), localized: fc.boolean() });
const modelOptions = fc.record({ thing: typeOptions, other: typeOptions });

const documents = fc.subarray(documentIds);
const upserts = fc.record({
  kind: fc.constant('upsert' as const),
  name: fc.constantFrom(...typeNames),
  documentId: fc.constantFrom(...documentIds),
  locale: fc.constantFrom(...locales),
  status: fc.constantFrom(...statuses),
  /** Whether default values are given. */
  givesLocale: fc.boolean(),
  givesStatus: fc.boolean(),
  text: fc.constantFrom('a', 'b', 'c'),
  friends: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, documents),
  parts: fc.subarray(['p', 'q', 'r']),
});
const deletions = fc.record({
  kind: fc.constant('delete' as const),
  name: fc.constantFrom(...typeNames),
  documentId: fc.constantFrom(...documentIds),
  locale: fc.option(fc.constantFrom(...locales)),
  status: fc.option(fc.constantFrom(...statuses)),
});
const roles = fc.record({
  kind: fc.constant('role' as const),
  type: fc.constantFrom(...roleTypes),
  permissions: fc.subarray(actions),
});
const roleDeletions = fc.record({ kind: fc.constant('deleted role' as const), type: fc.constantFrom(...roleTypes) });
const drawnChanges = fc.oneof(
  { weight: 12, arbitrary: upserts },
  { weight: 3, arbitrary: roles },
  { weight: 1, arbitrary: deletions },
  { weight: 1, arbitrary: roleDeletions },
);
const histories = fc.array(fc.array(drawnChanges, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 8 });

type ValueOf<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Model = ValueOf<typeof modelOptions>;
type DrawnChange = ValueOf<typeof drawnChanges>;

function snapshotOf(model: Model) {
  const attributesOf = (name: 'thing' | 'other') => ({
    text: { type: 'string' },
    parts: { type: 'component', component: 'a.part', repeatable: true },
    ...(name === 'thing'
      ? { friends: { type: 'relation', relation: 'manyToMany', target: uidOf('other'), inversedBy: 'fans' } }
      : { fans: { type: 'relation', relation: 'manyToMany', target: uidOf('thing'), mappedBy: 'friends' } }),
  });
  const contentTypes = typeNames.map((name) => ({
    info: { singularName: name, pluralName: `${name}s` },
    options: { draftAndPublish: model[name].drafts },
    pluginOptions: { i18n: { localized: model[name].localized } },
    attributes: attributesOf(name),
  }));
  return thingSnapshot({}, [], {
    settings: { defaultLocale: 'en', locales: locales.map((code) => ({ code, name: code })) },
    contentTypes,
    components: { 'a.part': { attributes: { label: { type: 'string' } } } },
    entries: { thing: [{ documentId: 'd0', text: 'a', friends: ['d0'] }], other: [{ documentId: 'd0', text: 'a' }] },
    roles: [
      { type: 'public', permissions: actions },
      { type: 'editor', permissions: actions.slice(0, 2) },
    ],
  });
}

function changeOf(model: Model, drawn: DrawnChange): Change {
  if (drawn.kind === 'role') return { upsert: roleType, entry: { type: drawn.type, permissions: drawn.permissions } };
  if (drawn.kind === 'deleted role') return { delete: roleType, documentId: drawn.type };
  const { name, documentId } = drawn;
  const { drafts, localized } = model[name];
  if (drawn.kind === 'delete') {
    const locale = (localized && drawn.locale) || undefined;
    const status = (drafts && drawn.status) || undefined;
    return { delete: uidOf(name), documentId, ...(locale && { locale }), ...(status && { status }) };
  }
  const { text, friends, parts } = drawn;
  const locale = localized ? drawn.locale : null;
  const entry = {
    documentId,
    text,
    ...((drawn.givesLocale || locale === 'fr') && { locale }),
    ...(drafts && (drawn.givesStatus || drawn.status === 'draft') && { status: drawn.status }),
    parts: parts.map((label) => ({ label })),
    ...(name === 'thing' && { friends }),
  };
  return { upsert: uidOf(name), entry, at };
}

/** Returns what callers of each role see. */
async function repliesOf(content: Content): Promise<string[]> {
  const urls = typeNames.flatMap((name) =>
    ['populate=*', 'populate=*&status=draft', 'populate=*&locale=fr', 'filters[text]=b&status=draft&locale=fr'].map(
      (query) => `/api/${name}s?sort=id&${query}`,
    ),
  );
  const replies = await Promise.all([...urls, '/api/things/d1?populate=*'].map((url) => content.answer(url)));
  return [...replies.map(({ status, body }) => `${status} ${body}`), JSON.stringify(content.history.loaded.roles)];
}

/** Applies what a content accepts. Returns whether it does. */
function isApplied(content: Content, changes: readonly Change[]): boolean {
  try {
    content.apply({ changes });
    return true;
  } catch (error) {
    if (error instanceof SnapshotError) return false;
    throw error;
  }
}

const counts = { accepted: 0, refused: 0, folded: 0 };

async function check(model: Model, history: readonly (readonly DrawnChange[])[], drafts: boolean): Promise<void> {
  const base = await openShared(snapshotOf(model));
  const applied = new Content({ ...base.history.loaded, warnings: [] }, configSchema.parse({ drafts }), 0);
  const preview = previewOf(base, [], { drafts, isPublic: false });
  const updates = new PreviewUpdates(preview, async (made) => preview.take(made.changes, made));
  for (const drawn of history) {
    const changes = drawn.map((each) => changeOf(model, each));
    const before = runAtOnce(listsInSteps(preview.changes)).length;
    const given = updates.change({ previous: null, form: 'changes', given: changes }, null);
    const isAccepted = await given.then(
      () => true,
      () => false,
    );
    expect(isAccepted).toBe(isApplied(applied, changes));
    counts[isAccepted ? 'accepted' : 'refused']++;
    if (isAccepted && runAtOnce(listsInSteps(preview.changes)).length === before) counts.folded++;
    const expected = await repliesOf(applied);
    expect(await repliesOf((await preview.open()).content)).toEqual(expected);
    // as after a restart
    const again = previewOf(base, runAtOnce(listsInSteps(preview.changes)), { drafts, isPublic: false });
    expect(await repliesOf((await again.open()).content)).toEqual(expected);
  }
}

test('folded changes show the same as the changes one after the other', async () => {
  const property = fc.asyncProperty(modelOptions, histories, fc.boolean(), check);
  await fc.assert(property, { seed: 20261123, numRuns: caseCount(150, 40) });
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(0);
});

test('changes of one entry are folded, however they name its default locale and status', async () => {
  const model = { thing: { drafts: true, localized: true }, other: { drafts: true, localized: false } };
  const spellings = [{}, { locale: 'en' }, { status: 'published' }, { locale: 'en', status: 'published' }];
  const plain = [{}, { locale: null }, { status: 'published' }, { locale: null, status: 'published' }];
  for (const [name, given] of [['thing', spellings] as const, ['other', plain] as const]) {
    const orders = given.flatMap((first) => given.map((second) => [first, second, first]));
    for (const order of orders) {
      const preview = previewOf(await openShared(snapshotOf(model)), []);
      const updates = new PreviewUpdates(preview, async (made) => preview.take(made.changes, made));
      for (const [i, spelling] of order.entries()) {
        const changes = [{ upsert: uidOf(name), entry: { documentId: 'd0', text: `text ${i}`, ...spelling } }];
        await updates.change({ previous: null, form: 'changes', given: changes }, null);
        const { content } = await preview.open();
        expect(content.find(`${name}s`).data, JSON.stringify(order)).toMatchObject([{ text: `text ${i}` }]);
      }
      expect(runAtOnce(listsInSteps(preview.changes)), JSON.stringify(order)).toMatchObject([
        [{ entry: { text: 'text 2' } }],
      ]);
    }
  }
});

test('a change of one role leaves others closed, and later changes of a role replace earlier ones', async () => {
  const model = { thing: { drafts: false, localized: false }, other: { drafts: false, localized: false } };
  const preview = previewOf(await openShared(snapshotOf(model)), [], { isPublic: false });
  const updates = new PreviewUpdates(preview, async (made) => preview.take(made.changes, made));
  const change = (type: string, permissions: string[]) =>
    updates.change(
      { previous: null, form: 'changes', given: [{ upsert: roleType, entry: { type, permissions } }] },
      null,
    );
  await change('public', []);
  await change('editor', actions);
  await change('editor', actions.slice(1));
  const { content } = await preview.open();
  expect((await content.answer('/api/things')).status).toBe(403);
  expect(content.history.loaded.roles.map(({ permissions }) => permissions)).toEqual([[], actions.slice(1)]);
  expect(runAtOnce(listsInSteps(preview.changes))).toMatchObject([
    [{ entry: { type: 'public' } }, { entry: { type: 'editor' } }],
  ]);
});
