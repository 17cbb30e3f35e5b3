import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { checkChangesInSteps } from '../../src/changes/batch/check-changes.ts';
import { type Change, readChangesInSteps } from '../../src/changes/batch/json-change.ts';
import { addedComponent, componentKey, movedComponent, operations } from '../../src/changes/entries/node-patch.ts';
import { readDocument } from '../../src/changes/entries/read-document.ts';
import { applyCheckedInSteps } from '../../src/content/versions/change-loaded.ts';
import { RequestError } from '../../src/core/errors.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { article, author, badge, entries, files, load, optionsOf, roleUid, users } from './content.ts';

let loaded: LoadedSnapshot;

beforeAll(async () => {
  loaded = await load();
});

const at = '2026-03-01T12:00:00.000Z';

function apply(changes: unknown, from = loaded): LoadedSnapshot {
  const problems = new Problems(from.tolerance, 'batch');
  const { changes: checked } = runAtOnce(checkChangesInSteps(from.store, changes, problems, optionsOf(from)));
  return runAtOnce(applyCheckedInSteps(from, checked)).loaded;
}

function read(from: LoadedSnapshot, documentId: string, type = article, status: string | null = 'published') {
  return readDocument(from, type, documentId, { locale: null, status: type === article ? status : null });
}

/** The published English entry of the first article after patches of it. */
function patched(...patches: object[]): Record<string, unknown> {
  const changes = patches.map((patch) => ({ patch: article, documentId: 'one', at, ...patch }));
  return read(apply(changes), 'one')[0];
}

const [one] = entries.article;

describe('a patch', () => {
  test('leaves everything as it is that it does not name', () => {
    const before = read(loaded, 'one')[0];
    expect(patched({ set: { title: 'New' } })).toEqual({ ...before, title: 'New', updatedAt: at });
    expect(
      read(apply([{ patch: article, documentId: 'one', set: { title: 'New' } }]), 'one', article, 'draft'),
    ).toEqual(read(loaded, 'one', article, 'draft'));
  });

  test('is of the default locale and published, unless it says otherwise', () => {
    const ids = ([given, id]: [object, number]) => {
      const changes = [{ patch: article, documentId: 'one', ...given, set: { title: 'New' } }];
      const all = readDocument(apply(changes), article, 'one', { locale: null, status: null });
      expect(all.filter(({ title }) => title === 'New').map((entry) => entry.id)).toEqual([id]);
    };
    const cases: [object, number][] = [
      [{}, 10],
      [{ locale: 'en', status: 'published' }, 10],
      [{ status: 'draft' }, 11],
      [{ locale: 'fr' }, 12],
    ];
    cases.forEach(ids);
  });

  test('sets values, relations and components as a whole', () => {
    const set = {
      rating: null,
      author: 'ben',
      related: [],
      cover: null,
      subject: { __type: author, documentId: 'ada' },
      seo: { metaTitle: 'second' },
      cards: [{ text: 'x' }],
    };
    expect(patched({ set })).toMatchObject({
      title: 'One',
      ...set,
      seo: { id: 5, metaTitle: 'second', picture: null },
      cards: [{ id: 21, text: 'x', author: null, seo: null }],
      blocks: one.blocks as object[],
    });
  });

  test('connects, disconnects and orders documents', () => {
    const connect = (connections: unknown[], more: object = {}) =>
      patched({ connect: { related: connections }, ...more }).related;
    expect(connect(['one'])).toEqual(['two', 'one']);
    expect(connect([{ documentId: 'one', position: { start: true } }])).toEqual(['one', 'two']);
    expect(connect([{ documentId: 'one', position: { before: 'two' } }])).toEqual(['one', 'two']);
    expect(connect([{ documentId: 'one', position: { after: { documentId: 'two' } } }])).toEqual(['two', 'one']);
    // a document that is connected stays where it is
    expect(connect(['one', 'two', 'one'])).toEqual(['two', 'one']);
    expect(connect(['one', { documentId: 'two', position: { end: true } }])).toEqual(['one', 'two']);
    expect(connect(['one'], { order: { related: ['one'] } })).toEqual(['one', 'two']);
    expect(connect(['one'], { disconnect: { related: ['two'] } })).toEqual(['one']);
    expect(patched({ disconnect: { related: ['one'] } }).related).toEqual(['two']);
    expect(patched({ connect: { author: ['ben'], cover: ['cover-1'] } })).toMatchObject({ author: 'ben' });
    expect(
      patched({ disconnect: { author: ['ada'], cover: [{ documentId: 'cover-1', name: 'cover' }] } }),
    ).toMatchObject({
      author: null,
      cover: null,
    });
    expect(patched({ connect: { subjects: [{ __type: badge, documentId: 'gold' }] } }).subjects).toEqual([
      { __type: badge, documentId: 'gold' },
    ]);
  });

  test('adds, moves, removes and patches components by id', () => {
    const texts = (patch: object) => (patched(patch).cards as { text: string }[]).map(({ text }) => text);
    const component = { text: 'new' };
    expect(texts({ add: { cards: [{ component }] } })).toEqual(['a', 'b', 'new']);
    expect(texts({ add: { cards: [{ component, position: { before: 22 } }] } })).toEqual(['a', 'new', 'b']);
    expect(texts({ add: { cards: [{ component, position: { start: true } }] } })).toEqual(['new', 'a', 'b']);
    expect(texts({ move: { cards: [{ id: 22, position: { before: 21 } }] } })).toEqual(['b', 'a']);
    expect(texts({ move: { cards: [{ id: 21, position: { after: 21 } }] } })).toEqual(['a', 'b']);
    expect(texts({ remove: { cards: [21] }, add: { cards: [{ component, position: { after: 22 } }] } })).toEqual([
      'b',
      'new',
    ]);
    const cards = [{ id: 21, set: { text: 'x' }, components: { seo: { set: { metaTitle: 'y' } } } }];
    expect(patched({ components: { cards } }).cards).toEqual([
      { id: 21, text: 'x', author: 'ada', seo: { id: 6, metaTitle: 'y', picture: null } },
      { id: 22, text: 'b', author: null, seo: null },
    ]);
    expect(patched({ components: { seo: { disconnect: { picture: ['cover-1'] } } } }).seo).toEqual({
      id: 5,
      metaTitle: 'first',
      picture: null,
    });
    const key = { __component: 'shared.seo', id: 8 };
    expect(
      patched({ remove: { blocks: [key] }, move: { blocks: [{ id: 23, position: { end: true } }] } }),
    ).toMatchObject({
      blocks: [{ __component: 'shared.card', id: 23, text: 'c' }],
    });
  });

  test('gives a component that it adds an id that no component had', () => {
    const cards = patched({ remove: { cards: [22] }, add: { cards: [{ component: { text: 'new' } }] } }).cards;
    expect(cards).toMatchObject([{ id: 21 }, { id: 24, text: 'new', author: null }]);
  });

  test('sees the changes of the same list before it', () => {
    expect(patched({ set: { title: 'A' } }, { set: { rating: 1 } })).toMatchObject({
      title: 'A',
      rating: 1,
      author: 'ada',
    });
    expect(patched({ connect: { related: ['one'] } }, { disconnect: { related: ['two'] } }).related).toEqual(['one']);
    expect(
      patched({ remove: { cards: [21] } }, { components: { cards: [{ id: 22, set: { text: 'x' } }] } }).cards,
    ).toEqual([{ id: 22, text: 'x', author: null, seo: null }]);
    const upsert = { upsert: article, entry: { documentId: 'one', locale: 'en', title: 'Whole', related: ['two'] } };
    const changes = [upsert, { patch: article, documentId: 'one', connect: { related: ['one'] }, at }];
    expect(read(apply(changes), 'one')[0]).toMatchObject({ title: 'Whole', author: null, related: ['two', 'one'] });
    const added = { upsert: author, entry: { documentId: 'eve' } };
    const eve = [added, { patch: author, documentId: 'eve', set: { name: 'Eve' } }];
    expect(read(apply(eve), 'eve', author)).toMatchObject([{ name: 'Eve' }]);
  });

  test('keeps links whose targets live, also if others are deleted in the same list', () => {
    const changes = [
      { delete: article, documentId: 'two' },
      { patch: article, documentId: 'one', set: { title: 'New' } },
    ];
    expect(read(apply(changes), 'one')[0]).toMatchObject({ title: 'New', related: [], author: 'ada' });
    const named = [
      { patch: article, documentId: 'one', connect: { related: ['one'] } },
      { delete: article, documentId: 'two' },
    ];
    expect(read(apply(named), 'one')[0].related).toEqual(['one']);
  });

  test('takes values as the API answers with them', () => {
    const set = {
      id: 10,
      documentId: 'one',
      locale: 'en',
      author: { id: 7, documentId: 'ben', name: 'Ben' },
      related: [{ id: 13, documentId: 'two', locale: 'en', title: 'Two' }],
      seo: { id: 5, metaTitle: 'first', picture: { id: 1, documentId: 'cover-1', url: '/uploads/cover_1.png' } },
      localizations: [{ id: 12, documentId: 'one', locale: 'fr' }],
    };
    expect(patched({ set })).toMatchObject({
      author: 'ben',
      related: ['two'],
      seo: { picture: 'cover-1' },
    });
    expect(
      read(apply([{ patch: author, documentId: 'ben', set: { articles: [{ documentId: 'two' }] } }]), 'ben', author),
    ).toEqual([expect.objectContaining({ name: 'Ben' })]);
  });

  test('of a user keeps who is blocked, and of a role its name and permissions', () => {
    const after = apply([
      { patch: users, documentId: 'u1', set: { username: 'una2' } },
      { patch: users, documentId: 'u2', set: { blocked: true } },
      { patch: roleUid, documentId: 'editor', set: { permissions: ['draft'] } },
    ]);
    expect([...after.blockedUsers].sort()).toEqual(['u1', 'u2']);
    expect(after.roles[1]).toEqual({ type: 'editor', name: 'Editor', permissions: ['draft'] });
    expect(read(after, 'u1', users)).toMatchObject([{ username: 'una2', role: 'editor' }]);
  });

  test('gives a published entry without a date that of the request', () => {
    const of = (documentId: string, patch: object) =>
      read(apply([{ patch: article, documentId, at, ...patch }]), documentId)[0].publishedAt;
    expect(of('two', { set: { title: 'x' } })).toBe(at);
    expect(of('one', { set: { publishedAt: null } })).toBe(at);
    expect(of('one', { set: { title: 'x' } })).toBe('2026-01-01T00:00:00.000Z');
  });

  test('gives a file its new values, and keeps its address', async () => {
    const change = { patch: files, documentId: 'cover-1', set: { caption: 'New' }, at };
    expect(read(apply([change]), 'cover-1', files)).toMatchObject([{ caption: 'New', url: '/uploads/cover_1.png' }]);
  });
});

describe('a patch with a mistake', () => {
  const of = (patch: object): unknown[] => [{ patch: article, documentId: 'one', ...patch }];
  const cases: [string, unknown[], string][] = [
    [
      'an unknown type',
      [{ patch: 'api::artcle.artcle', documentId: 'one' }],
      'changes[0]: "api::artcle.artcle" is no content type',
    ],
    ['an unknown key', of({ conect: {} }), 'changes[0]: conect: unknown key (did you mean "connect"?)'],
    [
      'an entry that is not there',
      of({ documentId: 'three' }),
      'changes[0]: no article with documentId "three" (en, published)',
    ],
    [
      'a version that is not there',
      of({ locale: 'fr', status: 'draft' }),
      'changes[0]: no article with documentId "one" (fr, draft): it has en published, en draft, fr published',
    ],
    ['an unknown locale', of({ locale: 'de' }), 'changes[0]: "locale" must be one of en, fr, not "de"'],
    [
      'an unknown attribute',
      of({ set: { titel: 'x' } }),
      'changes[0].set: unknown attribute "titel" (did you mean "title"?)',
    ],
    [
      'a wrong value',
      of({ set: { rating: 'x' } }),
      'changes[0], attribute rating: expected an integer within 2^53, not "x"',
    ],
    [
      'another documentId',
      of({ set: { documentId: 'x' } }),
      'changes[0].set: "documentId" is "one", and a patch cannot change it to "x"',
    ],
    [
      'another status',
      of({ set: { status: 'draft' } }),
      'changes[0].set: "status" is "published", and a patch cannot change it to "draft"',
    ],
    [
      'a date of a draft',
      of({ status: 'draft', set: { publishedAt: at } }),
      'changes[0]: a draft cannot have "publishedAt"',
    ],
    [
      'an unknown relation',
      of({ connect: { autor: ['ada'] } }),
      'changes[0].connect: unknown attribute "autor" (did you mean "author"?)',
    ],
    [
      'a relation that is a value',
      of({ connect: { title: ['ada'] } }),
      'changes[0].connect: attribute "title" holds no relations or media',
    ],
    [
      'an inverse relation',
      [{ patch: author, documentId: 'ada', connect: { articles: ['one'] } }],
      'changes[0].connect: attribute "articles" is derived from its owning side: set "author" of api::article.article instead',
    ],
    [
      'a document that does not exist',
      of({ connect: { related: ['three'] } }),
      'attribute related[1]: no article with documentId "three"',
    ],
    [
      'a disconnected document that does not exist',
      of({ disconnect: { related: ['three'] } }),
      'changes[0].disconnect.related[0]: no article with documentId "three"',
    ],
    [
      'a position next to what is not connected',
      of({ connect: { related: [{ documentId: 'one', position: { before: 'three' } }] } }),
      'changes[0].connect.related[0].position: no article with documentId "three" is connected',
    ],
    [
      'two positions',
      of({ connect: { related: [{ documentId: 'one', position: { start: true, end: true } }] } }),
      'changes[0].connect.related[0].position: must be one of {"before": …}',
    ],
    [
      'an order of what is not connected',
      of({ order: { related: ['one'] } }),
      'changes[0].order.related[0]: no article with documentId "one" is connected',
    ],
    [
      'two references of one',
      of({ connect: { author: ['ada', 'ben'] } }),
      'changes[0].connect.author: the attribute holds one reference, not 2',
    ],
    [
      'a wrong reference',
      of({ connect: { related: [3] } }),
      'changes[0].connect.related[0]: expected a documentId, not 3',
    ],
    [
      'an unknown component',
      of({ remove: { cards: [99] } }),
      'changes[0].remove.cards[0]: no component with id 99: the attribute holds 21, 22',
    ],
    [
      'a component of another type',
      of({ remove: { blocks: [{ id: 8, __component: 'shared.card' }] } }),
      'changes[0].remove.blocks[0]: no component "shared.card" with id 8: the attribute holds 23 (shared.card), 8 (shared.seo)',
    ],
    [
      'an unknown attribute of a component',
      of({ components: { cards: [{ id: 21, set: { txt: 'x' } }] } }),
      'changes[0].components.cards[0].set: unknown attribute "txt" (did you mean "text"?)',
    ],
    [
      'a component that the zone does not accept',
      of({ add: { blocks: [{ component: { __component: 'shared.x' } }] } }),
      'changes[0].add.blocks[0].component: "__component" must be one of shared.seo, shared.card, not "shared.x"',
    ],
    [
      'a list of the only component',
      of({ components: { seo: [] } }),
      'changes[0].components.seo: expected one patch, not []',
    ],
    [
      'a component that is not there',
      of({ locale: 'fr', components: { seo: { set: {} } } }),
      'changes[0].components.seo: there is no component to patch: give a whole one by "set"',
    ],
    [
      'a removed only component',
      of({ remove: { seo: [5] } }),
      'changes[0].remove.seo: the attribute holds one component: replace or remove it by "set"',
    ],
    [
      'a wrong list that another operation would change',
      of({ set: { cards: [null] }, remove: { cards: [21] } }),
      'changes[0], attribute cards[0]: expected an object, not null',
    ],
    [
      'an operand that is no list',
      of({ connect: { related: 'one' } }),
      'changes[0]: connect.related: must be a list, is "one"',
    ],
    [
      'more places than can be found at once',
      of({ add: { cards: Array.from({ length: 4000 }, () => ({ component: {} })) } }),
      'changes[0].add.cards: looks for 4,000 places in a list of 4,002, which takes too long: give the whole list by "set"',
    ],
    [
      'an operation on a role',
      [{ patch: roleUid, documentId: 'editor', connect: { users: [] } }],
      'changes[0]: a role of a JSON snapshot takes "set" only, not "connect"',
    ],
    [
      'localizations that differ',
      of({ set: { localizations: [] } }),
      'changes[0].set: attribute "localizations" is derived from the entries of the document in other locales. It lacks "fr": leave it out',
    ],
    ['ifAbsent', of({ ifAbsent: true }), 'changes[0]: ifAbsent: unknown key'],
  ];
  test.each(cases)('such as %s is one problem, and changes nothing', (_, changes, message) => {
    expect(() => apply(changes)).toThrow(message);
    expect(() => apply(changes)).toThrow(/^the batch has 1 problem:/);
  });
});

test('the examples of docs/live-content.md have the form of a patch', () => {
  const page = readFileSync('docs/live-content.md', 'utf8');
  const [whole] = page.match(/^\{\n {2}"patch":[^`]*/m)!;
  const rows = page.matchAll(/^\| `(\w+)` \| .* \| `("\w+": \{.*\})` \|$/gm);
  const examples = Array.from(rows, ([, operation, json]) => [operation, JSON.parse(`{${json}}`)] as const);
  expect(examples.map(([operation]) => operation)).toEqual(operations);
  const patches = examples.map(([, example]) => ({ patch: article, documentId: 'one', ...example }));
  const problems = new Problems();
  expect(runAtOnce(readChangesInSteps([JSON.parse(whole), ...patches], problems))).not.toContain(null);
  const [, ...operands] = examples.map(([operation, example]) => [operation, Object.values(example[operation])[0]]);
  const forms: Record<string, z.ZodType> = { remove: componentKey, add: addedComponent, move: movedComponent };
  for (const [operation, items] of operands as [string, unknown[]][]) {
    for (const item of forms[operation] ? items : []) expect(forms[operation].safeParse(item).error).toBeUndefined();
  }
});

describe('a condition', () => {
  const updatedAt = '2026-02-01T10:00:00.000Z';
  const dated = () => apply([{ patch: article, documentId: 'one', at: updatedAt, set: { title: 'Dated' } }]);
  const failure = (changes: Change[]): unknown => {
    try {
      apply(changes, dated());
    } catch (error) {
      return error;
    }
    return null;
  };
  const patch = (condition: object): Change[] => [
    { upsert: author, entry: { documentId: 'eve' } },
    { patch: article, documentId: 'one', set: { title: 'x' }, ...condition } as Change,
  ];

  test('on updatedAt compares times with the content before the request', () => {
    expect(failure(patch({ if: { updatedAt } }))).toBeNull();
    expect(failure(patch({ if: { updatedAt: '2026-02-01T11:00:00.000+01:00' } }))).toBeNull();
    expect(failure([...patch({ if: { updatedAt } }), ...patch({ if: { updatedAt } })])).toBeNull();
    expect(failure([{ patch: author, documentId: 'ada', set: {}, if: { updatedAt: null } }])).toBeNull();
  });

  test('that is not met is a 409 that names the change, what was expected and what was found', () => {
    const error = failure(patch({ if: { updatedAt: at } })) as RequestError;
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({
      status: 409,
      message: `changes[1]: "if" expects an entry with the updatedAt ${at}, but found an entry with the updatedAt ${updatedAt}. Nothing is applied`,
      details: { change: 1, condition: 'if', expected: { updatedAt: at }, found: { updatedAt } },
    });
    const upsert = (documentId: string, more: object) =>
      failure([{ upsert: author, entry: { documentId }, ...more } as Change]) as RequestError | null;
    expect(upsert('eve', { if: { updatedAt: null } })?.message).toContain('but found no such entry');
    expect(upsert('eve', { ifAbsent: true })).toBeNull();
    expect(upsert('ada', { ifAbsent: true })?.message).toContain(
      'changes[0]: "ifAbsent" expects no such entry, but found one with the id 3',
    );
  });

  test('that an entry exists makes a deletion do nothing without it', () => {
    expect(() => apply([{ delete: author, documentId: 'eve' }])).toThrow('no author with documentId "eve"');
    const after = apply([{ delete: author, documentId: 'eve', ifExists: true }]);
    expect(after.store.contentDigest).toBe(loaded.store.contentDigest);
    const deleted = apply([{ delete: author, documentId: 'ben', ifExists: true }]);
    expect(() => read(deleted, 'ben', author)).toThrow('There is no author with documentId "ben"');
  });
});
