import type { Page, Request } from 'playwright-core';

/** Answers to the routes of the changes of one preview, in place of the server. */

const article = { type: 'api::article.article', id: null, locale: 'en', status: 'published' };

/** The changes of the preview `spring` of `main`, with two documents. */
export const springChanges = {
  name: 'spring',
  base: 'main',
  baseVersion: '1795392000000-3',
  ownVersion: '1795392000000-5',
  fit: { fits: true },
  changeCount: 2,
  lists: [
    [
      { patch: article.type, documentId: 'lisbon', locale: 'en', set: { title: 'Lisbon by bicycle' } },
      { upsert: article.type, entry: { documentId: 'new-one', locale: 'en', title: 'New' } },
    ],
  ],
  entryCount: 3,
  differences: {
    isEqual: false,
    versions: { before: 'a', after: 'b' },
    settings: [],
    locales: { added: [], removed: [] },
    roles: [],
    blockedUsers: { added: [], removed: [] },
    uploads: null,
    types: [],
    entries: [
      {
        ...article,
        documentId: 'lisbon',
        kind: 'changed',
        changes: [
          {
            path: 'title',
            kind: 'value',
            before: 'Lisbon on foot',
            after: 'Lisbon by bicycle',
          },
          { path: 'author', kind: 'relation', before: { ...article, documentId: 'ada' }, after: null },
          { path: 'note', kind: 'private', before: null, after: null },
        ],
      },
      { ...article, documentId: 'new-one', kind: 'added', changes: [] },
      { ...article, documentId: 'elsewhere', kind: 'minor', changes: [] },
    ],
  },
};

/** What the base has changed in the meantime. */
export const conflict = {
  type: article.type,
  documentId: 'lisbon',
  locale: 'en',
  status: 'published',
  kind: 'changed',
  attribute: 'title',
  before: 'Lisbon on foot',
  base: 'Lisbon by tram',
  preview: 'Lisbon by bicycle',
  message: 'lisbon (en, published), title: both have changed it',
};

type Answer = readonly [status: number, body: object];

/** Answers a POST with what it sends. */
export type Act = (path: string, body: any) => Answer;

const refusal = (message: string, details: object): Answer => [
  409,
  { data: null, error: { status: 409, name: 'ConflictError', message, details } },
];

/**
 * Refuses to apply until it is said that the base has no journal, and then until the preview is rebased with a choice,
 * because the base has changed too.
 */
export function refuseAtFirst(): Act {
  let isRebased = false;
  return (path, { resolve, withoutJournal }) => {
    if (path.endsWith('/rebase') && resolve) {
      isRebased = true;
      return [200, { version: '1-1', baseVersion: '1-0', changes: 2, taken: { base: 0, preview: 1 } }];
    }
    if (!withoutJournal) return refusal('The base has no journal', { setting: 'journal' });
    if (!isRebased) return refusal('The base has changed what is applied', { count: 1, conflicts: [conflict] });
    return [200, { version: '1795392000000-4', sequence: 4, applied: 2, left: 0 }];
  };
}

/** Answers for the changes of each preview, with `changes` and by `act`. Returns the bodies of what was sent so far. */
export async function stubChanges(page: Page, changes: object = springChanges, act: Act = refuseAtFirst()) {
  const sent: { path: string; body: any }[] = [];
  const answerTo = (request: Request): Answer => {
    if (request.method() === 'GET') return [200, changes];
    const path = new URL(request.url()).pathname;
    const body = request.postDataJSON();
    sent.push({ path, body });
    return act(path, body);
  };
  await page.route(/\/_contents\/[^/?]+\/(?:changes|apply|rebase)/, async (route) => {
    const [status, json] = answerTo(route.request());
    await route.fulfill({ status, json });
  });
  return sent;
}
