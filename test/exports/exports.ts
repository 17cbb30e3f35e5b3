// Builds small Strapi exports for tests, in the shape that `strapi export --no-encrypt` writes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Content, type OpenOptions, open } from '../../src/index.ts';
import { archiveOf } from '../fuzz/archive.ts';
import { temporaryFolder } from '../support/folders.ts';

type Attributes = Record<string, object>;

/** A content type of an export; its uid is `api::name.name`. */
export interface ExportedType {
  name: string;
  attributes: Attributes;
  plural?: string;
  kind?: 'singleType';
  draftAndPublish?: boolean;
  localized?: boolean;
}

export interface Parts {
  types?: ExportedType[];
  /** Whole schemas, such as those of plugins. */
  schemas?: object[];
  /** Attributes by uid. */
  components?: Record<string, Attributes>;
  entities?: { type: string; id: number; data: object }[];
  links?: object[];
}

export const role = 'plugin::users-permissions.role';
export const permission = 'plugin::users-permissions.permission';

export const uidOf = (name: string) => `api::${name}.${name}`;

export const lines = (list: readonly unknown[], end = '\n') => list.map((line) => JSON.stringify(line) + end).join('');

/** An entry with a documentId of its own. */
export function entity(name: string, id: number, data: object = {}): { type: string; id: number; data: object } {
  const type = name.includes('::') ? name : uidOf(name);
  const dates = { createdAt: '2024-01-01T00:00:00.000Z', publishedAt: '2024-01-01T00:00:00.000Z', locale: null };
  return { type, id, data: { documentId: `${name}-${id}`, ...dates, ...data } };
}

/** A link from an attribute, such as `note.writer`, of the entry with an id, to an entry such as `writer`. */
export function link(from: string, id: number, to: string, ref: unknown, more: object = {}): object {
  const dot = from.lastIndexOf('.');
  const [name, field] = [from.slice(0, dot), from.slice(dot + 1)];
  const uid = (of: string) => (of.includes('::') ? of : uidOf(of));
  const left = { type: uid(name), ref: id, field };
  return { kind: 'relation.basic', relation: 'manyToOne', left, right: { type: uid(to), ref }, ...more };
}

/** The files of an export. The public may read all of it. */
export function filesOf({ types = [], schemas = [], components = {}, entities = [], links = [] }: Parts) {
  const schemaOf = ({
    name,
    attributes,
    plural = `${name}s`,
    kind,
    draftAndPublish = false,
    localized,
  }: ExportedType) => ({
    uid: uidOf(name),
    modelType: 'contentType',
    kind: kind ?? 'collectionType',
    info: { singularName: name, pluralName: plural, displayName: name },
    options: { draftAndPublish },
    ...(localized ? { pluginOptions: { i18n: { localized } } } : {}),
    attributes,
  });
  const grants = types.flatMap(({ name }) => ['find', 'findOne'].map((verb) => `${uidOf(name)}.${verb}`));
  return new Map<string, string>([
    ['metadata.json', JSON.stringify({ strapi: { version: '5.54.0' } })],
    [
      'schemas/schemas_00001.jsonl',
      lines([
        ...types.map(schemaOf),
        ...Object.entries(components).map(([uid, attributes]) => ({ uid, modelType: 'component', attributes })),
        {
          uid: role,
          info: { singularName: 'role', pluralName: 'roles' },
          attributes: { name: { type: 'string' }, type: { type: 'string' } },
        },
        {
          uid: permission,
          info: { singularName: 'permission', pluralName: 'permissions' },
          attributes: { action: { type: 'string' }, role: { type: 'relation', relation: 'manyToOne', target: role } },
        },
        ...schemas,
      ]),
    ],
    [
      'entities/entities_00001.jsonl',
      lines([
        ...entities,
        { type: role, id: 1, data: { documentId: 'r', type: 'public', name: 'Public' } },
        ...grants.map((action, i) => ({ type: permission, id: i + 1, data: { documentId: `p${i}`, action } })),
      ]),
    ],
    ['links/links_00001.jsonl', lines([...links, ...grants.map((_, i) => link(`${permission}.role`, i + 1, role, 1))])],
    [
      'configuration/configuration_00001.jsonl',
      lines([{ type: 'core-store', value: { key: 'plugin_i18n_default_locale', value: '"en"' } }]),
    ],
  ]);
}

/** Writes the files of an export to a folder and returns its path. */
export function folderOf(files: Iterable<readonly [string, string | Buffer]>): string {
  const path = temporaryFolder();
  for (const [name, text] of files) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

/** Writes the files of an export to an archive and returns its path. */
export async function packed(files: Iterable<readonly [string, string | Buffer]>): Promise<string> {
  const path = join(temporaryFolder(), 'export.tar.gz');
  const buffers = new Map(Array.from(files, ([name, text]) => [name, Buffer.from(text)]));
  writeFileSync(path, gzipSync(await archiveOf(buffers)));
  return path;
}

export function openParts(parts: Parts, options: OpenOptions = {}): Promise<Content> {
  return open(folderOf(filesOf(parts)), options);
}

/** The number of warnings of each kind. */
export function kindsOf({ summary }: Content): Record<string, number> {
  return Object.fromEntries(summary.warnings.map(({ kind, count }) => [kind, count]));
}
