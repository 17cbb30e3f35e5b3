import { type Problems, preview } from '../../base/problems.ts';
import { exportFiles } from '../archive.ts';
import { BrokenFile } from '../broken-file.ts';
import { jsonLines } from '../elements.ts';
import { limits } from '../limits.ts';
import { ExportLayout, type Stage } from './export-layout.ts';
import { versionIn } from './strapi-4.ts';

/** Reads the lines of a Strapi export by stage. Read the schemas first. */
export class ExportLines {
  readonly #path: string;
  readonly #problems: Problems;
  readonly #layout = new ExportLayout();
  #version: string | null = null;

  constructor(path: string, problems: Problems) {
    this.#path = path;
    this.#problems = problems;
  }

  /** The version of Strapi in `metadata.json`, or null. */
  get version(): string | null {
    return this.#version;
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
  async each(stage: Stage, take: (value: Record<string, never>, location: string) => void): Promise<void> {
    const isFirst = stage === 'schemas';
    await this.#read(stage, take, isFirst);
    if (!isFirst) return;
    if (this.#layout.findRoot(this.#path)) await this.#read(stage, take, false);
    this.#layout.reportForeign(this.#problems);
  }

  async #read(
    stage: Stage,
    take: (value: Record<string, never>, location: string) => void,
    notesNames: boolean,
  ): Promise<void> {
    const isPart = (name: string) => {
      if (notesNames) this.#layout.note(name);
      return this.#layout.isPart(name, stage) || (stage === 'schemas' && this.#layout.isMetadata(name));
    };
    const maxBytes = stage === 'schemas' ? limits.definitionBytes : limits.unpackedBytes;
    for await (const { name, content } of exportFiles(this.#path, isPart, maxBytes)) {
      if (this.#layout.isMetadata(name)) {
        this.#version = await versionIn(content);
        continue;
      }
      try {
        for await (const lines of jsonLines(content)) {
          for (const { line, value } of lines) {
            const location = `${name}:${line}`;
            if (typeof value === 'object' && value !== null) take(value as Record<string, never>, location);
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
