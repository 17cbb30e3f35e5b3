/** Reads an unencrypted Strapi export, an archive or a folder, and loads it into a store. */
import { validate } from '../../core/describe-problem.ts';
import { SnapshotError } from '../../core/errors.ts';
import { type Problems, preview } from '../../core/problems.ts';
import { isAdministration } from '../../model/schema/schema.ts';
import type { TypeDefinition } from '../../model/schema/type-definition.ts';
import { exportFiles } from '../archive.ts';
import { exportedType } from '../definitions.ts';
import { limits } from '../limits.ts';
import type { LoadedSnapshot, LoadOptions } from '../loaded.ts';
import { jsonLines } from '../parse/elements.ts';
import { BrokenFile } from '../parse/json-file.ts';
import { assetsOf } from '../uploaded-files.ts';
import { type LineReader, loadStrapiContent, type Stage, type StrapiContent } from './strapi-content.ts';

/** Duplicate entries are always an error, because each of them replaces an entry that the export lacks. */
const duplicateHint =
  ': "strapi export" may duplicate entries of large PostgreSQL tables and omit others; ' +
  'run ALTER SYSTEM SET synchronize_seqscans = off and export again';

export async function loadStrapiExport(
  path: string,
  problems: Problems,
  options: LoadOptions,
): Promise<LoadedSnapshot> {
  const types: TypeDefinition[] = [];
  const lines = await ExportLines.open(path, problems, (value, location) => {
    const definition = readDefinition(value, location, problems);
    if (definition) types.push(definition);
  });
  if (types.every(({ uid }) => isAdministration(uid))) {
    problems.add(path, 'not a Strapi export: it has no schemas/*.jsonl');
  }
  const content: StrapiContent = {
    strapiVersion: lines.strapiVersion,
    types,
    duplicateHint,
    has: (stage) => lines.has(stage),
    each: (stage, take) => lines.each(stage, take),
    uploadedFiles: (names) => assetsOf(path, lines.root, names),
  };
  return loadStrapiContent(content, path, problems, options);
}

/** Reads a content type or component as exports hold it. Returns null and reports it if it is none. */
export function readDefinition(
  value: Record<string, unknown>,
  location: string,
  problems: Problems,
): TypeDefinition | null {
  const type = validate(exportedType, value, location, problems);
  if (!type) return null;
  const definition = value as unknown as TypeDefinition;
  return { ...definition, location: `${location}, type ${type.uid}`, component: value.modelType === 'component' };
}

const stageFile = /^(.*\/)?(schemas|entities|links|configuration)\/[^/]+\.jsonl$/;
const otherPart = /(^|\/)(metadata\.json$|assets\/)/;

/** Layout of an export, derived from the names of all files. The export may be in a subfolder. */
class ExportLayout {
  #root = '';
  /** The stages that have files, by root folder. */
  readonly #stages = new Map<string, Set<string>>();
  readonly #others = new Set<string>();

  /** The root folder of the export, with a trailing slash, or an empty string. */
  get root(): string {
    return this.#root;
  }

  /** Registers a file of any kind. */
  note(name: string): void {
    const [, root = '', stage] = stageFile.exec(name) ?? [];
    if (stage) this.#stages.set(root, (this.#stages.get(root) ?? new Set()).add(stage));
    else if (!otherPart.test(name)) this.#others.add(name);
  }

  /** Whether a file belongs to a stage of the export. */
  isPart(name: string, stage: Stage): boolean {
    const [, root = '', found] = stageFile.exec(name) ?? [];
    return found === stage && root === this.#root;
  }

  /** Whether a file is the export's `metadata.json`. */
  isMetadata(name: string): boolean {
    return name === `${this.#root}metadata.json`;
  }

  /** Whether the export has files of a stage. */
  has(stage: Stage): boolean {
    return this.#stages.get(this.#root)?.has(stage) === true;
  }

  /** Finds the folder with the schemas. Returns true if it is a subfolder, so that the schemas must be read again. */
  findRoot(path: string): boolean {
    if (this.has('schemas')) return false;
    const roots = Array.from(this.#stages.keys()).filter((root) => this.#stages.get(root)!.has('schemas'));
    if (roots.length > 1)
      throw new SnapshotError([`${path}: several exports in one archive or folder: ${roots.sort().join(', ')}`]);
    this.#root = roots[0] ?? '';
    return roots.length === 1;
  }

  /** Reports the files that do not belong to the export. */
  reportForeign(problems: Problems): void {
    const elsewhere = Array.from(this.#stages.keys()).filter((root) => root !== this.#root);
    for (const name of [...elsewhere, ...this.#others]) {
      problems.tolerate('foreign-file', name, 'the file does not belong to a Strapi export');
    }
  }
}

/** Reads the lines of a Strapi export by stage. An archive is read once for each stage. */
export class ExportLines {
  readonly #path: string;
  readonly #problems: Problems;
  readonly #layout = new ExportLayout();
  #strapiVersion: string | null = null;

  private constructor(path: string, problems: Problems) {
    this.#path = path;
    this.#problems = problems;
  }

  /** Opens an export: finds its files, reports foreign ones, and calls `takeSchema` for each line of the schemas. */
  static async open(path: string, problems: Problems, takeSchema: LineReader): Promise<ExportLines> {
    const lines = new ExportLines(path, problems);
    const layout = lines.#layout;
    await lines.#read('schemas', takeSchema, (name) => layout.note(name));
    if (layout.findRoot(path)) await lines.#read('schemas', takeSchema);
    layout.reportForeign(problems);
    return lines;
  }

  /** The version of Strapi in `metadata.json`, or null. */
  get strapiVersion(): string | null {
    return this.#strapiVersion;
  }

  /** The subfolder of the export, with a trailing slash, or an empty string. */
  get root(): string {
    return this.#layout.root;
  }

  /** Whether the export has files of a stage. */
  has(stage: Stage): boolean {
    return this.#layout.has(stage);
  }

  /** Calls `take` for each line of a stage's files. Reports malformed files. */
  async each(stage: Exclude<Stage, 'schemas'>, take: LineReader): Promise<void> {
    await this.#read(stage, take);
  }

  /** Reads a stage. Calls `note` with the name of every file of the export. */
  async #read(stage: Stage, take: LineReader, note: (name: string) => void = () => {}): Promise<void> {
    const isPart = (name: string) => {
      note(name);
      return this.#layout.isPart(name, stage) || (stage === 'schemas' && this.#layout.isMetadata(name));
    };
    const maxBytes = stage === 'schemas' ? limits.definitionBytes : limits.unpackedBytes;
    for await (const { name, content } of exportFiles(this.#path, isPart, maxBytes)) {
      if (this.#layout.isMetadata(name)) {
        this.#strapiVersion = await versionIn(content);
        continue;
      }
      try {
        for await (const lines of jsonLines(content)) {
          for (const { line, value } of lines) {
            const location = `${name}:${line}`;
            if (typeof value === 'object' && value !== null) take(value as Record<string, unknown>, location);
            else this.#problems.add(location, `expected an object, not ${preview(value)}`);
          }
        }
      } catch (error) {
        if (!(error instanceof BrokenFile)) throw error;
        this.#problems.add(name, error.message);
      }
    }
  }
}

/** Returns the version of Strapi in `metadata.json`, or null if the file is invalid or has no version. */
async function versionIn(metadata: AsyncIterable<Buffer>): Promise<string | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of metadata) chunks.push(chunk);
  try {
    const { strapi } = JSON.parse(Buffer.concat(chunks).toString());
    return typeof strapi?.version === 'string' ? strapi.version : null;
  } catch {
    return null;
  }
}
