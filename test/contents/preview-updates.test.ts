import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import type { Content } from '../../src/content/content.ts';
import { OpenPreviews } from '../../src/content/previews/open-previews.ts';
import { Preview } from '../../src/content/previews/preview.ts';
import {
  answeredInSteps,
  listsInSteps,
  type PreviewChanges,
  packChangesInSteps,
  readPreviewChangesInSteps,
} from '../../src/content/previews/preview-changes.ts';
import { PreviewUpdates } from '../../src/content/previews/preview-updates.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { caseCount } from '../support/cases.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';
import { previewOf } from './preview-of.ts';

/** Changes that are added to a preview one after the other lead to the same replies as those that content applies. */

const thing = 'api::thing.thing';
const names = Array.from({ length: 8 }, (_, i) => `d${i}`);

function openBase(): Promise<Content> {
  const friends = { type: 'relation', relation: 'manyToMany', target: thing, inversedBy: 'fans' };
  const fans = { type: 'relation', relation: 'manyToMany', target: thing, mappedBy: 'friends' };
  const entries = names
    .slice(0, 4)
    .map((documentId, i) => ({ documentId, name: documentId, friends: [`d${(i + 1) % 4}`] }));
  return openShared(thingSnapshot({ name: { type: 'string' }, friends, fans }, entries), { public: true });
}

/** Draws a list of changes that is valid for the documents that exist, and changes the set of these. */
function drawChanges(random: Random, existing: Set<string>): object[] {
  const pick = (from: readonly string[]) => from[Math.floor(random.next() * from.length)];
  if (random.next() < 0.2 && existing.size > 0) {
    const documentId = pick([...existing]);
    existing.delete(documentId);
    return [{ delete: thing, documentId }];
  }
  return Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => {
    const documentId = pick(names);
    const friends = [...existing].filter(() => random.next() < 0.3);
    existing.add(documentId);
    return { upsert: thing, entry: { documentId, name: `${documentId} ${random.next()}`, friends } };
  });
}

async function repliesOf(content: Content): Promise<string[]> {
  const urls = [
    '?sort=id&populate=*&pagination[pageSize]=50',
    '?filters[name][$contains]=d3&populate=fans',
    '/d2?populate=*',
  ];
  const replies = await Promise.all(urls.map((url) => content.answer(`/api/things${url}`)));
  return replies.map(({ status, body }) => `${status} ${body}`);
}

test('as batches do, whatever is folded', async () => {
  for (let seed = 1; seed <= caseCount(40, 8); seed++) {
    const random = new Random(seed);
    const [base, model] = [await openBase(), await openBase()];
    const preview = previewOf(base, []);
    const updates = new PreviewUpdates(preview, async (made) => preview.take(made.changes, made));
    const existing = new Set(names.slice(0, 4));
    for (let step = 0; step < 12; step++) {
      const changes = drawChanges(random, existing);
      await updates.change({ previous: null, form: 'changes', given: changes }, null);
      model.apply({ changes: changes as never });
      expect(await repliesOf((await preview.open()).content), `seed ${seed}, step ${step}`).toEqual(
        await repliesOf(model),
      );
    }
    expect(runAtOnce(listsInSteps(preview.changes)).length).toBeLessThanOrEqual(12);
  }
});

test('of which another thread hears too late are applied once by requests with one key', async () => {
  const preview = previewOf(await openBase(), []);
  const updates = new PreviewUpdates(preview, async (made, onKept) => {
    preview.take(made.changes, made);
    onKept();
    throw new Error('a thread has ended');
  });
  const key = { key: 'k', digest: 'd' };
  const request = {
    previous: null,
    form: 'changes',
    given: [{ upsert: thing, entry: { documentId: 'new', name: 'x' } }],
  } as const;
  await expect(updates.change(request, key)).rejects.toThrow('a thread has ended');
  const { revision } = preview.changes;
  await expect(updates.change(request, key)).resolves.toMatchObject({
    version: (await preview.open()).content.version,
  });
  expect(preview.changes.revision).toBe(revision);
});

describe('the key of a request', () => {
  const named = (name: string) =>
    ({ previous: null, form: 'changes', given: [{ upsert: thing, entry: { documentId: 'new', name } }] }) as const;
  const removal = { previous: null, form: 'changes', given: [{ delete: thing, documentId: 'd0' }] } as const;

  /** Opens a preview from the file that another one has written, as after a restart. */
  function reopened(base: Content, file?: PreviewChanges): { preview: Preview; updates: PreviewUpdates } {
    const empty = previewOf(base, []);
    const settings = configSchema.parse({ public: true });
    const baseOf = () => ({ id: 1, content: base });
    const parts = { settings, extension: null, open: new OpenPreviews(2 ** 24), baseOf };
    const preview = file ? new Preview(empty.put, runAtOnce(readPreviewChangesInSteps(file.bytes)), parts) : empty;
    return { preview, updates: new PreviewUpdates(preview, async (made) => preview.take(made.changes, made)) };
  }

  test.each([
    ['that is folded into the last list', named('x')],
    ['that is kept apart', removal],
  ])('%s is in the file with its changes', async (_, request) => {
    const key = { key: 'k', digest: 'd' };
    const base = await openBase();
    const { preview } = reopened(base);
    let written: PreviewChanges | undefined;
    const stopped = new PreviewUpdates(preview, async ({ changes }) => {
      written = changes;
      throw new Error('the process ends after the write');
    });
    await expect(stopped.change(request, key)).rejects.toThrow('the process ends');
    const { preview: next, updates } = reopened(base, written!);
    const { version } = (await next.open()).content;
    await expect(updates.change(request, key)).resolves.toEqual({ version, sequence: 1 });
    expect(next.changes.revision).toBe(1);
    await expect(updates.change(named('y'), { ...key, digest: 'e' })).rejects.toMatchObject({ status: 422 });
    // a request without a key keeps the keys before it
    await updates.change(named('z'), null);
    const { updates: last } = reopened(base, next.changes);
    await expect(last.change(request, key)).resolves.toEqual({ version, sequence: 1 });
  });

  test('is forgotten after as many others as the page says', async () => {
    const page = readFileSync('docs/previews.md', 'utf8');
    const limit = Number(/the last ([\d,]+) of them/.exec(page)![1].replace(',', ''));
    const answered = Array.from({ length: limit }, (_, i) => ({
      key: { key: `k${i}`, digest: 'd' },
      answer: { version: '1-1', sequence: 1 },
    }));
    const { preview, updates } = reopened(await openBase(), runAtOnce(packChangesInSteps([], 1, answered)));
    await updates.change(named('x'), { key: 'last', digest: 'd' });
    const kept = runAtOnce(answeredInSteps(preview.changes)).map(({ key }) => key.key);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([limit, 'k1', 'last']);
  });
});
