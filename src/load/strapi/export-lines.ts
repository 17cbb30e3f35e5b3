import { type Problems, preview } from '../../core/problems.ts';
import { exportFiles } from '../archive.ts';
import { limits } from '../limits.ts';
import { BrokenFile } from '../parse/broken-file.ts';
import { jsonLines } from '../parse/elements.ts';
import { ExportLayout, type Stage } from './export-layout.ts';
import type { LineReader } from './strapi-content.ts';

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
