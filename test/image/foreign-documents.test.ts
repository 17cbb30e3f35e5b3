/** Each place in the documents of an image with another value and right checksums: a clear error, or replies as before. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Content } from '../../src/index.ts';
import { caseCount } from '../support/cases.ts';
import { everyUrl } from '../support/every-url.ts';
import { bytesOfSection, type Questions, refusalOf, withSections } from '../support/foreign-images.ts';
import { thingSnapshot } from '../support/guide.ts';
import { type ImageParts, makeImageFolder, partsOf, writeImageOf } from '../support/images.ts';
import { loadShared } from '../support/open-shared.ts';

makeImageFolder();

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = readonly (string | number)[];

const snapshot = thingSnapshot(
  {
    name: { type: 'string' },
    views: { type: 'biginteger' },
    extra: { type: 'json' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    cover: { type: 'media' },
    part: { type: 'component', component: 'a.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['a.part'] },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing', inversedBy: 'backs' },
    backs: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing', mappedBy: 'others' },
    any: { type: 'relation', relation: 'morphToMany' },
  },
  Array.from({ length: 3 }, (_, i) => ({
    documentId: `d${i}`,
    name: `Thing ${i}`,
    views: String(i),
    extra: { i },
    kind: 'a',
    part: [{ label: `part ${i}` }],
    zone: [{ __component: 'a.part', label: 'in zone' }],
    others: [`d${(i + 1) % 3}`],
  })),
  { components: { 'a.part': { attributes: { label: { type: 'string' } } } } },
);

const values: readonly Json[] = [null, -1, 1e300, 0.5, 'x', '', [], {}, true, [null], { x: null }];

/** Each path in a document, the last item of each list for all others in it if `isShort`. */
function* pathsOf(json: Json, isShort: boolean, path: Path = []): Generator<Path> {
  yield path;
  if (json === null || typeof json !== 'object') return;
  const keys = Array.isArray(json) ? [...json.keys()] : Object.keys(json);
  for (const key of isShort && keys.length > 12 ? keys.slice(-1) : keys) {
    yield* pathsOf((json as Record<string | number, Json>)[key]!, isShort, [...path, key]);
  }
}

/** Returns a copy in which a place has another value; undefined removes it. `name` renames its key. */
function changed(json: Json, path: Path, value: Json | undefined, name?: string): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(json)) {
    const item = changed(json[key as number]!, rest, value, name);
    return item === undefined ? json.toSpliced(key as number, 1) : json.with(key as number, item);
  }
  const entries = Object.entries(json as { [key: string]: Json }).flatMap(([each, inner]): [string, Json][] => {
    if (each !== key) return [[each, inner]];
    if (rest.length === 0 && name !== undefined) return [[name, inner]];
    const item = changed(inner, rest, value, name);
    return item === undefined ? [] : [[each, item]];
  });
  return Object.fromEntries(entries);
}

interface Lie {
  readonly what: string;
  readonly document: Json | undefined;
}

function* liesOf(json: Json): Generator<Lie> {
  for (const path of pathsOf(json, caseCount(1, 0) === 0)) {
    const at = path.join('.') || 'all';
    for (const value of values)
      yield { what: `${at} is ${JSON.stringify(value)}`, document: changed(json, path, value) };
    if (path.length === 0) continue;
    yield { what: `${at} is missing`, document: changed(json, path, undefined) };
    if (typeof path.at(-1) === 'number') continue;
    for (const name of ['other', '__proto__', 'constructor']) {
      yield { what: `${at} has the name ${name}`, document: changed(json, path, undefined, name) };
    }
  }
}

/** Changes of an entry and of a file and a deletion, which read what queries do not. */
function change(content: Content): void {
  const type = 'api::thing.thing';
  const others = ['d1', 'd2'];
  content.apply({ changes: [{ upsert: type, entry: { documentId: 'd0', name: 'Other', others } }] });
  content.apply({
    changes: [{ upsert: 'plugin::upload.file', entry: { documentId: 'f', name: 'f', url: '/uploads/f' } }],
  });
  content.apply({ changes: [{ delete: type, documentId: 'd1' }] });
}

describe.each(['facts', 'types', 'notices', 'schema', 'store'])('the document %s', (name) => {
  let parts: ImageParts;
  let json: Json;
  let questions: Questions;

  beforeAll(async () => {
    const options = { dialect: 'strapi' } as const;
    parts = partsOf(readFileSync((await writeImageOf(snapshot, options)).path));
    const section = parts.manifest.sections.find((one) => one.name === name)!;
    json = JSON.parse(bytesOfSection(parts.data, section).toString()) as Json;
    const other = ['content-type-builder/content-types', 'content-type-builder/components', 'upload/files'];
    const urls = everyUrl((await loadShared(snapshot, options)).store).filter(
      (url, i) => url.includes('thing') && i % 5 === 0,
    );
    questions = {
      options: { public: true, tolerance: 'tolerant' },
      urls: [...urls, ...other.map((path) => `/api/${path}`), '/api/i18n/locales', '/api/users-permissions/roles'],
      more: change,
    };
  });

  test('with the right values is opened, asked and changed', async () => {
    const more = (content: Content) => expect(() => change(content)).not.toThrow();
    expect(await refusalOf(parts, { ...questions, more })).toBeNull();
  });

  test('with any other value is refused with a sentence, or harms nobody', async () => {
    const lies = [...liesOf(json)];
    const step = Math.ceil(lies.length / caseCount(400, 120));
    let refused = 0;
    let tried = 0;
    for (let i = 0; i < lies.length; i += step) {
      const { what, document } = lies[i]!;
      const bytes = Buffer.from(JSON.stringify(document) ?? 'null');
      const message = await refusalOf(withSections(parts, new Map([[name, bytes]])), questions).catch(
        (error: Error) => {
          throw new Error(`${name}, ${what}: ${error.message}`, { cause: error });
        },
      );
      tried++;
      if (message !== null) refused++;
    }
    expect(tried).toBeGreaterThan(30);
    expect(refused).toBeGreaterThan(tried / 4);
  });
});
