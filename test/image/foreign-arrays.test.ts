/** Each array of an image with wrong values and right checksums is refused, or harms nobody. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { stateDigest } from '../../src/changes/log/state-digest.ts';
import { loadJournalBase } from '../../src/content/live/open-journal.ts';
import type { JsonSnapshot } from '../../src/index.ts';
import type { Section } from '../../src/load/image/format.ts';
import { loadSnapshot } from '../../src/load/load.ts';
import { gazetteExport } from '../conformance/gazette.ts';
import { caseCount } from '../support/cases.ts';
import { everyUrl } from '../support/every-url.ts';
import { bytesOfSection, itemsOf, type Questions, refusalOf, withSections } from '../support/foreign-images.ts';
import { thingSnapshot } from '../support/guide.ts';
import { changed, type ImageParts, makeImageFolder, partsOf, writeImageOf, writeParts } from '../support/images.ts';
import { loadShared } from '../support/open-shared.ts';

makeImageFolder();

/** Long texts, which have posting lists, with links in an order of their own and 64-bit integers. */
function texts(): JsonSnapshot {
  const attributes = {
    text: { type: 'text' },
    views: { type: 'biginteger' },
    weight: { type: 'float' },
    extra: { type: 'json' },
    others: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing', inversedBy: 'backs' },
    backs: { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing', mappedBy: 'others' },
    any: { type: 'relation', relation: 'morphToMany' },
  };
  const entries = Array.from({ length: 120 }, (_, i) => ({
    documentId: `d${i}`,
    text: `Thing ${i} Ünë 🍕 İstanbul ${'lorem ipsum dolor '.repeat(10)}`,
    views: String(i % 90),
    weight: (i % 40) / 8,
    extra: { i, list: [i, 'é\n', null] },
    others: [`d${(i * 7) % 120}`, `d${(i * 3) % 120}`],
  }));
  return thingSnapshot(attributes, entries);
}

/** An array, and what it is: `columns/…/codes`. */
interface Case {
  readonly section: Section;
  readonly kind: string;
}

function kindOf(name: string): string {
  const [, ...parts] = name.split('/');
  if (/^(columns|jsonTexts|links|polymorphic)$/.test(parts[0]!)) parts[1] = '…';
  return parts.join('/');
}

/** Up to `count` arrays of each kind, those with more than one item first. */
function casesOf({ manifest }: ImageParts, count: number): Case[] {
  const byKind = new Map<string, Section[]>();
  for (const section of manifest.sections) {
    if (section.kind === 'json' || section.bytes === 0) continue;
    const kind = kindOf(section.name);
    byKind.set(kind, [...(byKind.get(kind) ?? []), section]);
  }
  return Array.from(byKind, ([kind, sections]) => {
    return sections
      .sort((a, b) => Number(b.bytes > 64) - Number(a.bytes > 64))
      .slice(0, count)
      .map((section) => ({ section, kind }));
  }).flat();
}

type Items = ReturnType<typeof itemsOf>;
const whole = (items: Items, value: number) => (items instanceof BigInt64Array ? BigInt(value) : value) as never;
const middle = ({ length }: Items) => length >> 1;

/** The item in the middle, and so much more. */
function greater(items: Items, by: number): never {
  const item = items[middle(items)]!;
  return (typeof item === 'bigint' ? item + BigInt(by) : item + by) as never;
}

/** Mistakes: each changes the items, or returns others. */
const mistakes: Record<string, (items: Items) => Items | undefined> = {
  'the last item is huge': (items) => void (items[items.length - 1] = whole(items, 2 ** 31 + 12_345)),
  'the first item is huge': (items) => void (items[0] = whole(items, 2 ** 31 + 12_345)),
  'an item is greater by some thousand': (items) => void (items[middle(items)] = greater(items, 5_000)),
  'an item is greater by one': (items) => void (items[middle(items)] = greater(items, 1)),
  'an item is 0': (items) => void (items[middle(items)] = whole(items, 0)),
  'an item is no number': (items) =>
    void (items[middle(items)] = whole(items, items instanceof Float64Array ? Number.NaN : -1)),
  'items are in reverse': (items) => void items.reverse(),
  'all items are the same': (items) => void items.fill(items[0] as never),
  'an item is missing': (items) => items.slice(1) as Items,
};

/** All mistakes, or, in a usual run, every third one, beginning with another one for each kind of array. */
function mistakesFor(kind: number): [string, (items: Items) => Items | undefined][] {
  return Object.entries(mistakes).filter((_, i) => (i + kind) % caseCount(1, 3) === 0);
}

describe.each(['strapi', 'document'] as const)('in the dialect %s', (dialect) => {
  let images: { parts: ImageParts; questions: Questions; name: string }[];

  beforeAll(async () => {
    images = await Promise.all(
      [gazetteExport, texts()].map(async (source) => {
        const options = { dialect, search: ['*'] };
        const { path } = await writeImageOf(source, options);
        const { store } = await loadShared(source, options);
        const step = typeof source === 'string' ? 40 : 3;
        const urls = everyUrl(store).filter((_, i) => i % step === 0);
        const served = { public: true, tolerance: 'tolerant' } as const;
        return { parts: partsOf(readFileSync(path)), questions: { options: served, urls }, name: String(source) };
      }),
    );
  });

  test('each mistake in each kind of array is refused, or changes no more than values', {
    timeout: 600_000,
  }, async () => {
    let refused = 0;
    let opened = 0;
    const found = new Set<string>();
    for (const { parts, questions } of images) {
      // the checks are the same in both dialects, so one of them tries fewer arrays of a kind
      for (const { section, kind } of casesOf(parts, dialect === 'strapi' ? caseCount(3, 1) : 1)) {
        // in a usual run, the second image tries only the kinds that the first one lacks
        if (found.has(kind) && caseCount(1, 0) === 0) continue;
        found.add(kind);
        for (const [mistake, change] of mistakesFor(found.size)) {
          const bytes = bytesOfSection(parts.data, section);
          const items = itemsOf(bytes, section.kind);
          const changed = change(items) ?? items;
          const written = Buffer.from(changed.buffer, changed.byteOffset, changed.byteLength);
          if (written.equals(bytes)) continue;
          const message = await refusalOf(withSections(parts, new Map([[section.name, written]])), questions).catch(
            (error: Error) => {
              throw new Error(`${section.name}, ${mistake}: ${error.message}`, { cause: error });
            },
          );
          if (message === null) opened++;
          else refused++;
          // only values of the writer's own content may differ
          if (message === null) expect(harmless.test(kind), `${section.name}, ${mistake} was opened`).toBe(true);
          else expect(message, mistake).toMatch(nameOf(section.name));
        }
      }
    }
    expect(found.size).toBeGreaterThan(dialect === 'strapi' ? 45 : 35);
    expect([refused > caseCount(200, 65), opened < refused / 4]).toEqual([true, true]);
  });
});

/** Arrays in which another value may be as good: values, posting lists, positions, polymorphic links, published rows. */
const harmless = /values|bytes|gaps|trigrams|words|positions|polymorphic|published|loadOrder/;

/** A refusal names the array, or another one of the same structure that contradicts it. */
function nameOf(name: string): RegExp {
  const [uid, ...parts] = name.split('/');
  const structure = [uid, ...parts.slice(0, parts[0] === 'versions' ? 1 : 2)].join('/');
  return new RegExp(`${escaped(structure)}|${escaped(uid!)}`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

test('an image of which two rows have the same JSON is refused', async () => {
  const entries = [
    { id: 1, documentId: 'a', name: 'x' },
    { id: 2, documentId: 'b', name: 'y' },
  ];
  const { path } = await writeImageOf(thingSnapshot({ name: { type: 'string' } }, entries));
  const parts = partsOf(readFileSync(path));
  const section = parts.manifest.sections.find(({ name }) => name === 'api::thing.thing/jsonRows/starts')!;
  const starts = Buffer.alloc(section.bytes);
  const image = writeParts(withSections(parts, new Map([[section.name, starts]])));
  await expect(loadSnapshot(image)).rejects.toThrow('array api::thing.thing/jsonRows/starts: item 1 is 0, expected ');
});

test('each mistake in the places of rows of an image of format 2 is refused', async () => {
  const parts = partsOf(gunzipSync(readFileSync(new URL('format-2.lectern.gz', import.meta.url))));
  const arePlaces = ({ name, bytes }: Section) => name.endsWith('/jsonRows/offsets') && bytes > 64;
  for (const section of parts.manifest.sections.filter(arePlaces)) {
    for (const [mistake, change] of Object.entries(mistakes)) {
      const bytes = bytesOfSection(parts.data, section);
      const items = itemsOf(bytes, section.kind);
      const written = Buffer.from((change(items) ?? items).slice().buffer);
      if (written.equals(bytes)) continue;
      const path = writeParts(withSections(parts, new Map([[section.name, written]])));
      const image = changed(path, (copy) => void copy.writeUInt32LE(2, 12));
      await expect(loadSnapshot(image), mistake).rejects.toThrow(/the image is damaged: (array|its section) \S+/);
    }
  }
});

test('arrays of an image are not checked again if it is that of our own journal, but its checksums are', async () => {
  const { path } = await writeImageOf(texts());
  const parts = partsOf(readFileSync(path));
  const section = parts.manifest.sections.find(({ name }) => name.endsWith('/columns/text/codes'))!;
  const wrong = bytesOfSection(parts.data, section).fill(0, 0, 1);
  const written = writeParts(withSections(parts, new Map([[section.name, wrong]])));
  await expect(loadSnapshot(written)).rejects.toThrow('the image is damaged: array ');

  const { store, blockedUsers } = await loadSnapshot(written, { isOwnImage: true });
  const given = await loadSnapshot(texts());
  const version = stateDigest({ ...given, store, blockedUsers });
  const base = { epoch: 1, sequence: 1, version, image: basename(written) };
  const journal = { path: join(dirname(written), 'journal'), base };
  const { store: loaded } = await loadJournalBase(given, journal, {}, loadSnapshot);
  expect(loaded.contentDigest).toBe(given.store.contentDigest);

  const image = basename(changed(written, (bytes) => bytes.fill(0xff, bytes.length - 8)));
  await expect(loadJournalBase(given, { ...journal, base: { ...base, image } }, {}, loadSnapshot)).rejects.toThrow(
    'CRC-32',
  );
});
