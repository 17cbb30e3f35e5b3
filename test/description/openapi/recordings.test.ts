import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../../src/index.ts';
import { type Asker, authorization, openGazette, type Recording, readRecordings } from '../../conformance/gazette.ts';
import { everyUrl } from '../../support/every-url.ts';
import { sha256 } from '../../support/guide.ts';
import { loadShared, openShared } from '../../support/open-shared.ts';
import { Judge } from './judge.ts';

/** The documents of a recorded Strapi fit what was asked and answered, and those of the demo what it answers. */

const recordings = readRecordings();
const askers: readonly Asker[] = ['public', 'user', 'reader', 'some'];

let content: Content;
/** By the document that each caller gets. */
const judges = new Map<Asker, Judge>();
let full: Judge;

beforeAll(async () => {
  content = await openGazette();
  full = new Judge(content.openApi());
  for (const asker of askers) {
    const reply = await content.answerOpenApi('', { authorization: authorization(asker) });
    judges.set(asker, new Judge(JSON.parse(reply.body.toString())));
  }
});

/** Splits a recorded path into the one below the prefix and the query string. */
function splitPath(path: string): [path: string, query: string] {
  const [pathname, query = ''] = path.split('?');
  return [pathname.slice('/api'.length), query];
}

/** The recordings that a caller's document has a route for. */
function described(): { recording: Recording; judge: Judge; template: string; query: string }[] {
  return recordings.flatMap((recording) => {
    const [path, query] = splitPath(recording.path);
    const judge = judges.get(recording.auth)!;
    const template = judge.templateOf(path);
    return template === null ? [] : [{ recording, judge, template, query }];
  });
}

test('every request has a route in the document of its caller, unless it was forbidden or not found', () => {
  expect(recordings).toHaveLength(1438);
  const known = new Set(described().map(({ recording }) => recording));
  const others = recordings.filter((recording) => !known.has(recording));
  expect(others.filter(({ status }) => status !== 403 && status !== 404)).toEqual([]);
  expect(others).toHaveLength(66);
});

describe('a request that was answered', () => {
  test('is one that its document takes, or populates what its caller may not read', () => {
    const answered = described().filter(({ recording }) => recording.status === 200);
    expect(answered).toHaveLength(1268);
    const refused = answered.filter(({ judge, template, query }) => judge.faultsOfQuery(template, query).length > 0);
    // the document of a caller with full access names these relations
    const wrong = refused.filter(
      ({ judge, template, query }) =>
        full.faultsOfQuery(template, query).length > 0 ||
        judge.faultsOfQuery(template, query).some((fault) => !fault.startsWith('populate')),
    );
    expect(wrong.map(({ recording }) => recording.path)).toEqual([]);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(answered.length / 10);
  });

  test('has the reply that its document describes', () => {
    const wrong = described().flatMap(({ recording: { status, body, path }, judge, template }) => {
      if (status !== 200) return [];
      const faults = judge.faultsOfReply(template, status, body);
      return faults.length === 0 ? [] : [`${path}: ${faults.join(', ')}`];
    });
    expect(wrong).toEqual([]);
  });
});

test('errors are those that the document describes', async () => {
  const errors = described().filter(({ recording }) => recording.status >= 400);
  expect(errors).toHaveLength(104);
  for (const { recording, judge, template } of errors) {
    // where the recorded server failed, Lectern answers
    const reply = await content.answer(recording.path, { authorization: authorization(recording.auth) });
    const body = JSON.parse(reply.body.toString());
    expect(judge.faultsOfReply(template, reply.status, body), recording.path).toEqual([]);
  }
});

test('most requests that were refused are refused by the document, too', () => {
  const refused = described().filter(({ recording }) => recording.status === 400);
  const found = refused.filter(({ judge, template, query }) => judge.faultsOfQuery(template, query).length > 0);
  expect(refused).toHaveLength(73);
  expect(found.length).toBeGreaterThan(60);
});

describe.each(['document', 'strapi'] as const)('in the dialect %s', (dialect) => {
  test('requests and replies about every attribute of the demo fit the document', async () => {
    const { store } = await loadShared('data/demo');
    const tokens = [{ name: 'all', type: 'full-access' as const, sha256: sha256('all') }];
    const demo = await openShared('data/demo', { dialect, tokens });
    const callers = [
      { sent: undefined, judge: new Judge(demo.openApi({ role: 'public' })), readsAll: false },
      { sent: 'Bearer all', judge: new Judge(demo.openApi()), readsAll: true },
    ];
    let count = 0;
    for (const { sent, judge, readsAll } of callers) {
      for (const url of everyUrl(store)) {
        const { status, body } = await demo.answer(url, { authorization: sent });
        const [path, query] = splitPath(url);
        const template = judge.templateOf(path);
        if (template === null || body.length === 0) continue;
        count++;
        expect(judge.faultsOfReply(template, status, JSON.parse(body.toString())), url).toEqual([]);
        if (status === 200 && readsAll) expect(judge.faultsOfQuery(template, query), url).toEqual([]);
      }
    }
    expect(count).toBeGreaterThan(100);
  });
});
