import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Random } from '../../bench/random.ts';
import type { Change } from '../../src/changes/batch/json-change.ts';
import { Content } from '../../src/content/content.ts';
import type { Preview } from '../../src/content/previews/preview.ts';
import { listsInSteps } from '../../src/content/previews/preview-changes.ts';
import { PreviewUpdates } from '../../src/content/previews/preview-updates.ts';
import { shownStoreInSteps } from '../../src/content/versions/version.ts';
import { RequestError, SnapshotError } from '../../src/core/errors.ts';
import { runAtOnce } from '../../src/core/steps.ts';
import { configSchema } from '../../src/model/settings/config.ts';
import { caseCount } from '../support/cases.ts';
import { compactHere } from '../support/compact-here.ts';
import { thingSnapshot } from '../support/guide.ts';
import { openShared } from '../support/open-shared.ts';
import { previewOf } from './preview-of.ts';

/** Whatever order changes of a base and of its previews come in, a preview equals a content that is made afresh of both. */

const thing = 'api::thing.thing';
const names = Array.from({ length: 5 }, (_, i) => `d${i}`);
const statuses = ['draft', 'published'];
/** The time of all changes: a preview and what it is compared with make them at the same time. */
const at = '2026-03-01T12:00:00.000Z';

const friends = { type: 'relation', relation: 'manyToMany', target: thing, inversedBy: 'fans' };
const fans = { type: 'relation', relation: 'manyToMany', target: thing, mappedBy: 'friends' };
const partner = { type: 'relation', relation: 'oneToOne', target: thing };
const parts = { type: 'component', component: 'a.part', repeatable: true };
const attributes = { name: { type: 'string' }, friends, fans, partner, parts };
const snapshot = thingSnapshot(
  attributes,
  names
    .slice(0, 4)
    .map((documentId, i) => ({ documentId, name: documentId, friends: [`d${(i + 1) % 4}`], parts: [{}] })),
  {
    contentTypes: [
      {
        info: { singularName: 'thing', pluralName: 'things' },
        options: { draftAndPublish: true },
        attributes,
      },
    ],
    components: { 'a.part': { attributes: { label: { type: 'string' } } } },
  },
);

const openBase = (): Promise<Content> => openShared(snapshot, { public: true });

function drawChanges(random: Random): Change[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)];
  return Array.from({ length: 1 + Math.floor(random.next() * 2) }, () => {
    const documentId = pick(names);
    if (random.next() < 0.35)
      return {
        delete: thing,
        documentId,
        ...(random.next() < 0.5 && { status: pick(['draft', 'published'] as const) }),
      };
    const entry = {
      documentId,
      status: pick(statuses),
      name: `${documentId} ${random.next()}`,
      friends: names.filter(() => random.next() < 0.06),
      partner: random.next() < 0.1 ? pick(names) : null,
      parts: Array.from({ length: Math.floor(random.next() * 3) }, (_, i) => ({ label: `part ${i}` })),
    };
    return { upsert: thing, entry, at };
  });
}

async function repliesOf(content: Content): Promise<string[]> {
  const all = 'pagination[pageSize]=50&sort=id';
  const urls = [
    `?populate=*&${all}`,
    `?populate=*&status=draft&${all}`,
    `?filters[fans][name][$contains]=d1&${all}`,
    '?filters[name][$contains]=d3&populate[fans][populate]=parts',
    '/d2?populate=*',
  ];
  const replies = await Promise.all(urls.map((url) => content.answer(`/api/things${url}`)));
  return replies.map(({ status, body }) => `${status} ${body}`);
}

/** What a preview has to show: the replies of a new content with both histories, or the first problem. */
async function expected(history: readonly Change[][], lists: readonly unknown[], drafts: boolean): Promise<string[]> {
  const base = await openBase();
  for (const changes of history) base.apply({ changes });
  const settings = configSchema.parse({ public: true, drafts });
  const content = new Content({ ...base.history.loaded, warnings: [] }, settings, 0);
  try {
    for (const changes of lists) content.apply({ changes: changes as Change[] });
  } catch (error) {
    return [(error as SnapshotError).problems[0]];
  }
  return repliesOf(content);
}

async function shown(preview: Preview): Promise<string[]> {
  try {
    return await repliesOf((await preview.open()).content);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return [(error.details as { problems: string[] }).problems[0].replace(/^lists\[\d+\], /, '')];
  }
}

/** Applies what a base accepts. Returns whether it does. */
function changed(base: Content, changes: Change[]): boolean {
  try {
    base.apply({ changes });
    return true;
  } catch (error) {
    if (error instanceof SnapshotError) return false;
    throw error;
  }
}

test.each([false, true])('previews equal contents that are made afresh, with drafts: %j', async (drafts) => {
  const counts = { changed: 0, refused: 0, accepted: 0, conflicts: 0, shown: 0 };
  for (let seed = 1; seed <= caseCount(20, 5); seed++) {
    const random = new Random(seed);
    const base = await openBase();
    const preview = previewOf(base, [], { drafts });
    const updates = new PreviewUpdates(preview, async (made) => preview.take(made.changes, made));
    const history: Change[][] = [];
    for (let step = 0; step < 16; step++) {
      const [kind, changes] = [random.next(), drawChanges(random)];
      // a reader who came before the change
      const earlier =
        random.next() < 0.3 ? { lists: runAtOnce(listsInSteps(preview.changes)), reply: shown(preview) } : null;
      const before = history.length;
      if (earlier && random.next() < 0.5) await nextTurn();
      if (kind < 0.45) {
        if (changed(base, changes)) {
          history.push(changes);
          counts.changed++;
        }
      } else if (kind < 0.5) {
        const { history } = base;
        const store = await compactHere(history.loaded, new AbortController().signal);
        history.rebase(store, runAtOnce(shownStoreInSteps(store, history.settings)));
      } else {
        const added = updates.change({ previous: null, form: 'changes', given: changes }, null);
        counts[
          await added.then(
            () => 'accepted' as const,
            () => 'refused' as const,
          )
        ]++;
      }
      if (earlier) {
        const after = { history, lists: runAtOnce(listsInSteps(preview.changes)) };
        const possible = [
          await expected(history.slice(0, before), earlier.lists, drafts),
          await expected(after.history, after.lists, drafts),
        ];
        expect(possible, `seed ${seed}, step ${step}, earlier reader`).toContainEqual(await earlier.reply);
      }
      const replies = await shown(preview);
      counts[replies.length === 1 ? 'conflicts' : 'shown']++;
      expect(replies, `seed ${seed}, step ${step}`).toEqual(
        await expected(history, runAtOnce(listsInSteps(preview.changes)), drafts),
      );
    }
  }
  for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(0);
});
