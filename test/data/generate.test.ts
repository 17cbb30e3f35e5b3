/** The generator is repeatable, and the demo is complete and consistent. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readOptions } from '../../data/generator/options.ts';
import { writeSnapshot } from '../../data/generator/snapshot.ts';
import { temporaryFolder } from '../support/folders.ts';

const ROOT = join(import.meta.dirname, '../..');
const DEMO = join(ROOT, 'data/demo');

interface Attribute {
  type: string;
  required?: boolean;
  relation?: string;
  target?: string;
  inversedBy?: string;
  mappedBy?: string;
  morphBy?: string;
  multiple?: boolean;
  repeatable?: boolean;
  component?: string;
  components?: string[];
  private?: boolean;
}
type Attributes = Record<string, Attribute>;
type Row = Record<string, unknown>;

const folder = temporaryFolder();

/** Every file below a folder, by path. */
function bytes(root: string): Record<string, string> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    paths.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(root.length), readFileSync(path, 'utf8')];
    }),
  );
}

/** The names of the files that differ. */
function differing(one: Record<string, string>, other: Record<string, string>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((path) => one[path] !== other[path]);
}

describe('the generator', () => {
  test('gives the same bytes for the same arguments and others for another seed', () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => join(folder, name));
    writeSnapshot(one, 1000, 7);
    writeSnapshot(two, 1000, 7);
    writeSnapshot(three, 1000, 8);
    expect(differing(bytes(one), bytes(two))).toEqual([]);
    expect(differing(bytes(one), bytes(three))).toContain('/entries/article.json');
  });

  test('gives data/demo for the default arguments, in under four megabytes', () => {
    const out = join(folder, 'demo');
    execFileSync(process.execPath, ['--import', 'tsx', 'data/generate.ts', '--out', out], { cwd: ROOT });
    const demo = bytes(DEMO);
    expect(differing(demo, bytes(out))).toEqual([]);
    expect(Buffer.byteLength(Object.values(demo).join(''))).toBeLessThan(4_000_000);
  });

  test.each([
    ['--entries', '999'],
    ['--entries', '1000001'],
    ['--entries', 'many'],
    ['--seed', '0.5'],
  ])('rejects %s %s by name', (option, value) => {
    expect(() => readOptions([option, value])).toThrow(
      new RegExp(`^${option} must be a whole number .*"${value.replace('.', '\\.')}"$`),
    );
  });
});

describe('the demo', () => {
  const types: Record<string, { uid: string; attributes: Attributes }> = {
    file: { uid: 'plugin::upload.file', attributes: {} },
  };
  const components: Record<string, Attributes> = {};
  const entries: Record<string, Row[]> = {};

  /** Every row with its attributes: entries by type, and components at every depth. */
  const rows: { of: string; attributes: Attributes; row: Row }[] = [];

  function collect(of: string, attributes: Attributes, row: Row): void {
    rows.push({ of, attributes, row });
    for (const [name, { type, component }] of Object.entries(attributes)) {
      if (type !== 'component' && type !== 'dynamiczone') continue;
      for (const part of listed(row[name]) as Row[]) {
        const uid = component ?? String(part.__component);
        collect(uid, components[uid], part);
      }
    }
  }

  beforeAll(() => {
    for (const [path, text] of Object.entries(bytes(DEMO))) {
      const [, kind, first, second] = path.replace('.json', '').split('/');
      const value = kind === 'snapshot' || kind === 'roles' ? null : JSON.parse(text);
      if (kind === 'content-types') types[first] = { ...value, uid: value.uid ?? `api::${first}.${first}` };
      if (kind === 'components') components[`${first}.${second}`] = value.attributes;
      if (kind === 'entries') entries[first] = value;
    }
    for (const [type, list] of Object.entries(entries)) {
      for (const row of list) collect(type, types[type].attributes, row);
    }
  });

  const definitions = () => [...Object.values(types).map((type) => type.attributes), ...Object.values(components)];
  const attributes = () => definitions().flatMap((definition) => Object.values(definition));

  test('has 3,000 entries, four fifths of them articles, and any requested total', () => {
    const total = Object.values(entries).reduce((sum, list) => sum + list.length, 0);
    expect(total).toBe(3000);
    expect(entries.article.length / total).toBeCloseTo(0.8, 1);
    const small = writeSnapshot(join(folder, 'count'), 1234, 1).entries;
    expect(Object.values(small).reduce((sum, count) => sum + count, 0)).toBe(1234);
  });

  test('has every attribute type and every kind of relation', () => {
    const all =
      `string text richtext blocks enumeration email uid password date time datetime timestamp integer biginteger
      float decimal boolean json array relation media component dynamiczone`.split(/\s+/);
    expect(new Set(attributes().map(({ type }) => type))).toEqual(new Set(all));

    const kinds = attributes()
      .filter(({ type }) => type === 'relation')
      .map(({ relation, inversedBy, mappedBy }) => `${relation}${inversedBy ? ' owning' : mappedBy ? ' derived' : ''}`);
    expect([...new Set(kinds)].sort()).toEqual(
      [
        ...['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'],
        ...['oneToOne owning', 'manyToOne owning', 'manyToMany owning'],
        ...['oneToOne derived', 'oneToMany derived', 'manyToMany derived'],
        ...['morphToOne', 'morphToMany', 'morphOne', 'morphMany'],
      ].sort(),
    );
    for (const self of ['article.related', 'author.mentor', 'category.parent']) {
      const [type, name] = self.split('.');
      expect(types[type].attributes[name].target).toBe(types[type].uid);
    }
    expect(attributes().some((attribute) => attribute.private)).toBe(true);
    expect(new Set(entries.team.map((team) => team.league)).size).toBe(8);
  });

  test('has a value and, if it is optional, a null for every attribute', () => {
    const seen = new Map<string, { filled: boolean; empty: boolean }>();
    for (const { of, attributes: defined, row } of rows) {
      for (const [name, attribute] of Object.entries(defined)) {
        if (attribute.mappedBy || attribute.morphBy) continue;
        const key = `${of}.${name}`;
        const state = seen.get(key) ?? { filled: false, empty: false };
        const empty = listed(row[name]).length === 0 && !['json', 'array', 'blocks'].includes(attribute.type);
        if (empty || row[name] === null || row[name] === undefined) state.empty = true;
        else state.filled = true;
        seen.set(key, state);
        expect(attribute.required && state.empty, `${key} is required`).toBeFalsy();
      }
    }
    for (const [key, state] of seen) {
      const [name] = key.split('.').slice(-1);
      const required = rows.find(({ of }) => key === `${of}.${name}`)?.attributes[name].required;
      expect(state, key).toEqual({ filled: true, empty: !required });
    }
    expect(new Set(rows.map(({ of }) => of)).size).toBe(Object.keys(types).length + Object.keys(components).length);
  });

  test('links only to existing documents', () => {
    const documents = new Map(
      Object.entries(types).map(([type, { uid }]) => [uid, new Set(entries[type].map((row) => row.documentId))]),
    );
    const problems: string[] = [];
    for (const { of, attributes: defined, row } of rows) {
      for (const [name, attribute] of Object.entries(defined)) {
        if (attribute.type !== 'relation' && attribute.type !== 'media') continue;
        const targets = listed(row[name]);
        if (attribute.mappedBy || attribute.morphBy) expect(targets, `${of}.${name} is derived`).toEqual([]);
        expect(new Set(targets.map((target) => JSON.stringify(target))).size).toBe(targets.length);
        for (const target of targets) {
          const item = target as { __type: string; documentId: string };
          const [uid, id] = attribute.relation?.startsWith('morphTo')
            ? [item.__type, item.documentId]
            : [attribute.target ?? 'plugin::upload.file', target];
          if (!documents.get(uid)?.has(id)) problems.push(`${of}.${name}: ${uid} ${id}`);
        }
      }
    }
    expect(problems).toEqual([]);
  });

  test('has unique ids, one row per document, status and locale, and unique slugs', () => {
    for (const [type, list] of Object.entries(entries)) {
      expect(new Set(list.map((row) => row.id)).size, type).toBe(list.length);
      const keys = list.map((row) => `${row.documentId} ${row.status ?? 'published'} ${row.locale ?? 'en'}`);
      expect(new Set(keys).size, type).toBe(list.length);
      const slugs = list.filter((row) => row.slug).map((row) => `${row.slug} ${row.status} ${row.locale}`);
      expect(new Set(slugs).size, type).toBe(slugs.length);
    }
  });

  test('has varied text: few equal titles, accents, emoji, quotes, backslashes and some long articles', () => {
    const published = entries.article.filter((row) => row.status === 'published' && row.locale === 'en');
    expect(new Set(published.map((row) => row.title)).size / published.length).toBeGreaterThan(0.98);
    const text = JSON.stringify(entries.article);
    for (const part of ['é', 'Ł', 'İ', '🏮', '\\"', '\\\\', '“']) expect(text).toContain(part);
    const long = published.filter((row) => JSON.stringify(row.body ?? []).length > 4000);
    expect(long.length).toBeGreaterThanOrEqual(5);
  });
});

function listed(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
