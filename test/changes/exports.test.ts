// Batches for the content of exports: roles are entries, links have positions on both sides, mistakes are tolerated.

import { describe, expect, test } from 'vitest';
import { accessAfter } from '../../src/changes/batch/access-changes.ts';
import type { Batch, LinkTarget } from '../../src/changes/batch/batch.ts';
import { checkBatchInSteps } from '../../src/changes/batch/check-batch.ts';
import { checkChangesInSteps } from '../../src/changes/batch/check-changes.ts';
import { Problems } from '../../src/core/problems.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import type { LoadedSnapshot } from '../../src/load/loaded.ts';
import { entity, filesOf, folderOf, link, type Parts, permission, role, uidOf } from '../exports/exports.ts';
import { optionsOf } from './content.ts';

const note = uidOf('note');
const writer = uidOf('writer');

const parts: Parts = {
  types: [
    {
      name: 'note',
      attributes: {
        title: { type: 'string' },
        writer: { type: 'relation', relation: 'manyToOne', target: writer, inversedBy: 'notes' },
        subjects: { type: 'relation', relation: 'morphToMany' },
      },
    },
    {
      name: 'writer',
      attributes: {
        name: { type: 'string' },
        notes: { type: 'relation', relation: 'oneToMany', target: note, mappedBy: 'writer' },
        about: { type: 'relation', relation: 'morphMany', target: note, morphBy: 'subjects' },
      },
    },
  ],
  entities: [entity('note', 1), entity('note', 2), entity('note', 3), entity('writer', 1), entity('writer', 2)],
  links: [
    link('note.writer', 1, 'writer', 1, { right: { type: writer, ref: 1, pos: 5 } }),
    link('note.writer', 2, 'writer', 1, { right: { type: writer, ref: 1, pos: 3 } }),
    link('note.writer', 3, 'writer', 2),
    { ...link('note.subjects', 1, 'writer', 2), right: { type: writer, ref: 2, field: 'about', pos: 7 } },
  ],
};

const loadParts = () => loadSnapshot(folderOf(filesOf(parts)));

function build(loaded: LoadedSnapshot, batch: Partial<Batch>) {
  const problems = new Problems(loaded.tolerance, 'batch');
  const given = { entities: [], links: [], ...batch };
  const { changes } = runAtOnce(checkBatchInSteps(loaded.store, given, problems, optionsOf(loaded)));
  return { ...changes, ...accessAfter(optionsOf(loaded), changes.access) };
}

function prepare(loaded: LoadedSnapshot, changes: unknown): Batch {
  return runAtOnce(
    checkChangesInSteps(loaded.store, changes, new Problems(loaded.tolerance, 'batch'), optionsOf(loaded)),
  ).batch;
}

const target = (type: string, id: number): LinkTarget => ({ type, id, position: 0, inversePosition: 0 });

describe('permissions', () => {
  test('are entries that link to their role', async () => {
    const loaded = await loadParts();
    const [{ permissions }] = loaded.roles;
    expect(permissions).toHaveLength(4);
    const { roles } = build(loaded, {
      entities: [
        { type: permission, id: 1, data: null },
        { type: permission, id: 2, data: { documentId: 'p1', action: 'a.b.find' } },
        { type: permission, id: 9, data: { documentId: 'p9', action: 'c.d.find' } },
        { type: role, id: 2, data: { documentId: 'r2', type: 'editor', name: 'Editor' } },
      ],
      links: [
        { type: permission, id: 9, attribute: 'role', targets: [target(role, 2)] },
        { type: permission, id: 3, attribute: 'role', targets: [target(role, 2)] },
      ],
    });
    expect(roles).toEqual([
      { type: 'public', name: 'Public', permissions: ['a.b.find', permissions[3]] },
      { type: 'editor', name: 'Editor', permissions: [permissions[2], 'c.d.find'] },
    ]);
  });

  test('stay the same list if no role and no permission changes', async () => {
    const loaded = await loadParts();
    expect(build(loaded, { entities: [{ type: writer, id: 1, data: null }] }).roles).toBe(loaded.roles);
  });

  test('cannot change if their attributes are not stored', async () => {
    const files = filesOf(parts);
    const schemas = files.get('schemas/schemas_00001.jsonl')!;
    files.set('schemas/schemas_00001.jsonl', schemas.replace('"action":{"type":"string"},', ''));
    const loaded = await loadSnapshot(folderOf(files));
    const batch = { entities: [{ type: permission, id: 1, data: null }] };
    expect(() => build(loaded, batch)).toThrow(`${permission}, attribute action: roles and permissions cannot change`);
  });
});

test('changes in JSON keep the positions of links among the sources of their targets', async () => {
  const loaded = await loadParts();
  const entry = {
    documentId: 'note-1',
    locale: null,
    writer: 'writer-1',
    subjects: [
      { __type: writer, documentId: 'writer-1' },
      { __type: writer, documentId: 'writer-2' },
    ],
  };
  const { entities, links } = prepare(loaded, [{ upsert: note, entry }]);
  expect(entities).toEqual([{ type: note, id: 1, data: { documentId: 'note-1' } }]);
  expect(links).toEqual([
    {
      type: note,
      id: 1,
      attribute: 'subjects',
      targets: [target(writer, 1), { type: writer, id: 2, position: 1, inversePosition: 7, inverse: 'about' }],
    },
  ]);
});

test('a list as it is changes nothing', async () => {
  const loaded = await loadParts();
  const list = { type: note, id: 2, attribute: 'writer', targets: [{ ...target(writer, 1), inversePosition: 3 }] };
  expect(build(loaded, { links: [list] }).links).toEqual([]);
  expect(build(loaded, { links: [{ ...list, targets: [target(writer, 1)] }] }).links).toHaveLength(1);
});

test('an entry without a documentId is a warning', async () => {
  const loaded = await loadParts();
  const problems = new Problems(loaded.tolerance, 'batch');
  runAtOnce(
    checkBatchInSteps(
      loaded.store,
      { entities: [{ type: writer, id: 9, data: {} }], links: [] },
      problems,
      optionsOf(loaded),
    ),
  );
  expect(problems.warnings).toMatchObject([{ kind: 'entry-without-document-id' }]);
});

test('localizations are links of the content of Strapi 4 only', async () => {
  const page = uidOf('page');
  const files = filesOf({
    types: [{ name: 'page', attributes: { title: { type: 'string' } }, localized: true }],
    entities: [entity('page', 1, { locale: 'en' }), entity('page', 2, { locale: 'fr' })],
    links: [link('page.localizations', 1, 'page', 2), link('page.localizations', 2, 'page', 1)],
  });
  const list = { type: page, id: 1, attribute: 'localizations', targets: [] };
  const strapi5 = await loadSnapshot(folderOf(files));
  expect(() => build(strapi5, { links: [list] })).toThrow('attribute "localizations" is derived from its owning side');
  files.set('metadata.json', JSON.stringify({ strapi: { version: '4.25.0' } }));
  const strapi4 = await loadSnapshot(folderOf(files));
  expect(build(strapi4, { links: [list] }).links).toEqual([list]);
});
