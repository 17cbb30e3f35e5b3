import { beforeEach, describe, expect, test } from 'vitest';
import { readDocument } from '../../src/changes/entries/read-document.ts';
import type { Content } from '../../src/content/content.ts';
import { keptChanges, refuseConditions } from '../../src/content/previews/kept-changes.ts';
import type { Preview } from '../../src/content/previews/preview.ts';
import { listsInSteps } from '../../src/content/previews/preview-changes.ts';
import { PreviewUpdates } from '../../src/content/previews/preview-updates.ts';
import type { RequestError } from '../../src/core/errors.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { type Change, type JsonSnapshot, open } from '../../src/index.ts';
import { article, author, definitions, entries } from '../changes/content.ts';
import type { Entry } from '../changes/naive-patch.ts';
import { previewOf } from './preview-of.ts';

/** A preview keeps patches themselves: what they do not name follows the base. */

const all = { locale: null, status: null };

interface Opened {
  readonly base: Content;
  readonly preview: Preview;
  send(changes: readonly object[]): Promise<unknown>;
  /** The published English entry of the first article, as the preview shows it. */
  read(): Promise<Entry>;
  lists(): readonly unknown[];
  /** Opens the preview from what it keeps, as after a restart. */
  restarted(): Preview;
}

function openPreview(base: Content): Opened {
  const preview = previewOf(base, []);
  const updates = new PreviewUpdates(preview, async (made) => preview.take(made.changes, made));
  const lists = () => runAtOnce(listsInSteps(preview.changes));
  return {
    base,
    preview,
    send: (given) => updates.change({ previous: null, form: 'changes', given }, null),
    read: async () => (await readAll(preview))[0],
    lists,
    restarted: () => previewOf(base, lists()),
  };
}

async function readAll(preview: Preview, documentId = 'one'): Promise<Entry[]> {
  const { content } = await preview.open();
  return readDocument(content.history.loaded, article, documentId, all);
}

const openBase = async () => open({ ...definitions, entries } as unknown as JsonSnapshot);
const patch = (operations: object): object => ({ patch: article, documentId: 'one', ...operations });

let opened: Opened;
beforeEach(async () => {
  opened = openPreview(await openBase());
});

describe('a patch in a preview', () => {
  test('does not freeze what it does not name', async () => {
    const { base, preview, send, read, restarted } = opened;
    await send([patch({ set: { title: 'Preview' }, connect: { related: ['one'] } })]);
    base.apply({
      changes: [
        patch({ set: { rating: 1, author: 'ben' }, components: { cards: [{ id: 22, set: { text: 'B' } }] } }) as Change,
      ],
    });
    const expected = {
      title: 'Preview',
      rating: 1,
      author: 'ben',
      related: ['two', 'one'],
      cards: [{ text: 'a' }, { text: 'B' }],
    };
    expect(await read()).toMatchObject(expected);
    expect(await readAll(restarted())).toEqual(await readAll(preview));
    base.apply({ changes: [patch({ set: { related: [] } }) as Change] });
    expect((await read()).related).toEqual(['one']);
  });

  test('that does not fit the base any more is a 409 that names it', async () => {
    const { base, preview, send } = opened;
    await send([patch({ components: { cards: [{ id: 22, set: { text: 'B' } }] } })]);
    base.apply({ changes: [patch({ remove: { cards: [22] } }) as Change] });
    const error = await preview.open().catch((thrown: unknown) => thrown as RequestError);
    expect(error).toMatchObject({
      status: 409,
      message:
        'The changes of the preview "pr" do not fit "main" as it is now: changes[0].components.cards[0]: no component with id 22: the attribute holds 21',
    });
    base.apply({ changes: [{ delete: article, documentId: 'one' }] });
    await expect(preview.open()).rejects.toThrow('no article with documentId "one" (en, published)');
  });

  test('keeps its time, and the ids of what it adds, when the base grows', async () => {
    const { base, send, read } = opened;
    await send([patch({ add: { cards: [{ component: { text: 'new' } }] } })]);
    const before = await read();
    const added = (before.cards as Entry[])[2];
    expect(added).toMatchObject({ text: 'new' });
    base.apply({ changes: [{ upsert: article, entry: { documentId: 'two', cards: [{}, {}, {}] } }] });
    await send([patch({ components: { cards: [{ id: added.id, set: { text: 'newer' } }] } })]);
    const after = await read();
    expect((after.cards as Entry[])[2]).toEqual({ ...added, text: 'newer' });
    base.apply({ changes: [{ upsert: author, entry: { documentId: 'eve' } }] });
    expect(await read()).toEqual(after);
  });

  test('has a condition for the request alone', async () => {
    const { base, send, read } = opened;
    await send([patch({ set: { title: 'A' }, if: { updatedAt: null } })]);
    base.apply({ changes: [patch({ set: { rating: 1 } }) as Change] });
    expect(await read()).toMatchObject({ title: 'A', rating: 1 });
    await expect(send([patch({ set: { title: 'B' }, if: { updatedAt: null } })])).rejects.toMatchObject({
      status: 409,
    });
    const { updatedAt } = await read();
    await send([patch({ set: { title: 'C' }, if: { updatedAt } })]);
    expect(await read()).toMatchObject({ title: 'C' });
  });
});

test('changes without a time, as earlier versions have kept them, have that of the preview', async () => {
  const list = [{ upsert: article, entry: { documentId: 'new' } }, patch({ set: { title: 'x' } })];
  const preview = previewOf(opened.base, [list]);
  const { putAt } = preview.put;
  expect(await readAll(preview, 'new')).toMatchObject([{ publishedAt: putAt }]);
  expect((await readAll(preview))[0].updatedAt).toBe(putAt);
});

test('a list of changes that is put with a preview must not have conditions', () => {
  expect(() => refuseConditions([patch({ set: {} }), patch({ if: { updatedAt: null } })])).toThrow(
    'changes[1]: "if" needs POST /_changes, after the preview has been put',
  );
  expect(keptChanges([{ delete: article, documentId: 'one', ifExists: true }, 3], 0)).toEqual([
    { delete: article, documentId: 'one', ifExists: true },
    3,
  ]);
  expect(keptChanges('x', 0)).toBe('x');
});

describe('patches of one entry are folded', () => {
  const folded = async (...changes: object[]) => {
    for (const change of changes) await opened.send([change]);
    expect(await readAll(opened.restarted())).toEqual(await readAll(opened.preview));
    const lists = opened.lists() as object[][];
    expect(lists).toHaveLength(1);
    return lists[0];
  };

  test('to one, if they set values', async () => {
    const saves = ['a', 'ab', 'abc'].map((title) => patch({ set: { title } }));
    expect(await folded(...saves, patch({ set: { rating: 1 } }))).toEqual([
      { ...patch({ set: { title: 'abc', rating: 1 } }), at: expect.any(String) },
    ]);
  });

  test('to one, if they change the same component', async () => {
    const text = (value: string) => patch({ components: { cards: [{ id: 21, set: { text: value } }] } });
    const seo = (operations: object) => patch({ components: { seo: operations } });
    const list = await folded(
      text('x'),
      text('xy'),
      seo({ set: { metaTitle: 'm' } }),
      seo({ disconnect: { picture: ['cover-1'] } }),
      patch({ connect: { author: ['ben'] } }),
    );
    expect(list).toMatchObject([
      {
        components: {
          cards: [{ id: 21, set: { text: 'xy' } }],
          seo: { set: { metaTitle: 'm' }, disconnect: { picture: ['cover-1'] } },
        },
        connect: { author: ['ben'] },
      },
    ]);
    expect(list).toHaveLength(1);
  });

  test('to an upsert, if that came before', async () => {
    const entry = { documentId: 'one', locale: 'en', title: 'Whole' };
    const list = await folded({ upsert: article, entry }, patch({ set: { rating: 2 } }));
    expect(list).toEqual([
      { upsert: article, at: expect.any(String), entry: { ...entry, rating: 2, updatedAt: expect.any(String) } },
    ]);
    expect(await folded({ upsert: article, entry: { ...entry, title: 'Again' } })).toMatchObject([
      { entry: { title: 'Again' } },
    ]);
  });

  test('to one list, if a later one needs what an earlier one leads to', async () => {
    const list = await folded(
      patch({ connect: { related: ['one'] } }),
      patch({ order: { related: ['one'] } }),
      patch({ set: { title: 'x' } }),
      patch({ set: { title: 'xy' } }),
    );
    expect(list).toMatchObject([
      { connect: { related: ['one'] } },
      { order: { related: ['one'] }, set: { title: 'xy' } },
    ]);
  });
});
