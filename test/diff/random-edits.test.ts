/** Random content is edited, and the difference is what the editor knows to have changed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffSnapshots } from '../../src/changes/diff/diff-snapshots.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { cases } from '../property/arbitraries.ts';
import { caseCount } from '../support/cases.ts';

/** The attributes of an entry by name. */
type Values = Record<string, unknown>;
/** The entries of a content by type, documentId, locale and status, such as `page p1 en draft`. */
type Entries = Record<string, Values>;

const tags = ['t1', 't2', 't3'];
const text = fc.constantFrom(null, 'one', 'two');
const tag = fc.constantFrom(null, ...tags);
const link = fc.record({ text, tag });
const list = fc.record({ links: fc.array(link, { maxLength: 3 }) });

const pageValues = fc.record({
  title: text,
  extra: fc.constantFrom(null, [], { b: [1, null] }),
  count: fc.constantFrom(null, 0, 1.5),
  main: tag,
  tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
  about: tag,
  seo: fc.option(list),
  zone: fc.array(
    fc.oneof(
      link.map((values) => ({ __component: 'part.link', ...values })),
      list.map((values) => ({ __component: 'part.list', ...values })),
    ),
    { maxLength: 4 },
  ),
});

const pageKeys = ['p1', 'p2'].flatMap((page) =>
  ['en', 'fr'].flatMap((locale) => ['draft', 'published'].map((status) => `page ${page} ${locale} ${status}`)),
);
const values: Record<string, fc.Arbitrary<Values>> = {
  ...Object.fromEntries(pageKeys.map((key) => [key, pageValues])),
  ...Object.fromEntries(tags.map((key) => [`tag ${key}`, fc.record({ name: text, next: tag })])),
  'home h': fc.record({ headline: text, main: tag }),
};

/** Some of the possible entries. */
const someEntries: fc.Arbitrary<Entries> = fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<Entries>;

interface Edit {
  readonly before: Entries;
  readonly after: Entries;
}

/** Content, and the same with some entries removed, and some attributes written over. */
const edits: fc.Arbitrary<Edit> = fc
  .tuple(someEntries, fc.subarray(Object.keys(values), { maxLength: 3 }), someEntries, fc.func(fc.boolean()))
  .map(([before, removed, written, isWritten]) => {
    const after = Object.fromEntries(Object.entries(before).filter(([key]) => !removed.includes(key)));
    for (const [key, attributes] of Object.entries(written)) {
      const kept = Object.entries(attributes).filter(([name]) => !after[key] || isWritten(key, name));
      after[key] = { ...after[key], ...Object.fromEntries(kept) };
    }
    return { before: withoutDangling(before), after: withoutDangling(after) };
  });

/** The entries without links to tags that do not exist. */
function withoutDangling(entries: Entries): Entries {
  const isMissing = (value: unknown) => tags.includes(value as string) && !entries[`tag ${value}`];
  return JSON.parse(
    JSON.stringify(entries, (_, value) => {
      if (Array.isArray(value)) return value.filter((item) => !isMissing(item));
      return isMissing(value) ? null : value;
    }),
  );
}

const relation = (kind: string, target = 'api::tag.tag') => ({ type: 'relation', relation: kind, target });
const components = {
  'part.link': { attributes: { text: { type: 'string' }, tag: relation('manyToOne') } },
  'part.list': { attributes: { links: { type: 'component', component: 'part.link', repeatable: true } } },
};
const type = (singularName: string, attributes: Values, rest = {}) => {
  return { info: { singularName, pluralName: `${singularName}s` }, attributes, ...rest };
};
const contentTypes = [
  type(
    'page',
    {
      title: { type: 'string' },
      extra: { type: 'json' },
      count: { type: 'float' },
      main: relation('manyToOne'),
      tags: { ...relation('manyToMany'), inversedBy: 'pages' },
      about: { type: 'relation', relation: 'morphToOne' },
      seo: { type: 'component', component: 'part.list' },
      zone: { type: 'dynamiczone', components: ['part.link', 'part.list'] },
    },
    { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
  ),
  type('tag', {
    name: { type: 'string' },
    next: relation('manyToOne'),
    pages: { ...relation('manyToMany', 'api::page.page'), mappedBy: 'tags' },
  }),
  type('home', { headline: { type: 'string' }, main: relation('manyToOne') }, { kind: 'singleType' }),
];

/** `hasIds` gives each possible entry an id of its own. Otherwise ids follow from the order of the entries. */
function snapshotOf(content: Entries, hasIds: boolean): JsonSnapshot {
  const entries: Record<string, Values[]> = { page: [], tag: [], home: [] };
  for (const [key, { about, ...attributes }] of Object.entries(content)) {
    const [name, documentId, locale, status] = key.split(' ');
    const entry: Values = { documentId, ...attributes };
    if (hasIds) entry.id = Object.keys(values).indexOf(key) + 1;
    if (locale !== undefined) Object.assign(entry, { locale, status });
    if (typeof about === 'string') entry.about = { __type: 'api::tag.tag', documentId: about };
    entries[name!]!.push(entry);
  }
  const settings = { locales: ['en', 'fr'].map((code) => ({ code, name: code })) };
  return { settings, contentTypes, components, entries, roles: [] } as unknown as JsonSnapshot;
}

/** What the editor changed: the kind, the entry, and the attributes with another value. */
function expectedOf({ before, after }: Edit): string[] {
  const keys = Array.from(new Set([...Object.keys(before), ...Object.keys(after)]));
  return keys.flatMap((key) => {
    const [old, current] = [before[key], after[key]];
    if (!old || !current) return `${old ? 'removed' : 'added'} ${key}`;
    const names = Object.keys({ ...old, ...current }).filter((name) => !isSame(old[name], current[name]));
    return names.length > 0 ? `changed ${key}: ${names.sort()}` : [];
  });
}

function isSame(one: unknown = null, other: unknown = null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

test.each([true, false])('lists exactly the edits of a random editor, with ids: %s', async (hasIds) => {
  const property = fc.asyncProperty(edits, async (edit) => {
    const [before, after] = [edit.before, edit.after].map((content) => loadSnapshot(snapshotOf(content, hasIds)));
    const { entries, isEqual } = diffSnapshots(await before!, await after!);
    const found = entries.flatMap(({ kind, type, documentId, locale, status, changes }) => {
      const key = [type.split('.')[1], documentId, locale, status].filter((part) => part !== null).join(' ');
      const names = new Set(changes.map(({ path }) => path.split(/[.[]/)[0]));
      if (kind === 'minor') return [];
      return `${kind} ${key}${kind === 'changed' ? `: ${[...names].sort()}` : ''}`;
    });
    const expected = expectedOf(edit);
    expect(found.sort()).toEqual(expected.sort());
    if (expected.length > 0) expect(isEqual).toBe(false);
  });
  await fc.assert(property, { numRuns: caseCount(200, 50) });
});

test('random content equals itself, and differs from other content in both directions alike', async () => {
  const random = cases({ dialect: 'document', requests: 0, withRoles: true });
  const property = fc.asyncProperty(random, random, async ({ snapshot }, { snapshot: other }) => {
    const load = (source: unknown) => loadSnapshot(source as JsonSnapshot);
    const [one, again, different] = [await load(snapshot), await load(snapshot), await load(other)];
    expect(diffSnapshots(one, again)).toMatchObject({ isEqual: true, entries: [], types: [], roles: [] });
    const [there, back] = [diffSnapshots(one, different), diffSnapshots(different, one)];
    expect(there.isEqual).toBe(false);
    const turned = { added: 'removed', removed: 'added', changed: 'changed', minor: 'minor' };
    const named = (list: typeof there.entries, kindOf: (kind: keyof typeof turned) => string) =>
      list.map(({ type, documentId, locale, kind }) => `${type} ${documentId} ${locale} ${kindOf(kind)}`).sort();
    expect(named(back.entries, (kind) => kind)).toEqual(named(there.entries, (kind) => turned[kind]));
  });
  await fc.assert(property, { numRuns: caseCount(20, 8) });
});
