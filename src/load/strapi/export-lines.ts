import { type Problems, preview } from '../../base/problems.ts';
import { exportFiles } from '../archive.ts';
import { BrokenFile } from '../broken-file.ts';
import { jsonLines } from '../elements.ts';
import { limits } from '../limits.ts';
import { ExportLayout, type Stage } from './export-layout.ts';
import { versionIn } from './strapi-4.ts';

/** The lines of a Strapi export, stage by stage. The schemas have to be read first. */
export class ExportLines {
  readonly #path: string;
  readonly #problems: Problems;
  readonly #layout = new ExportLayout();
  #version: string | null = null;

  constructor(path: string, problems: Problems) {
    this.#path = path;
    this.#problems = problems;
  }

  /** The version of the Strapi that wrote the export, if it tells. */
  get version(): string | null {
    return this.#version;
  }

  /** The folder inside the archive or folder that the export stands in; empty for none. */
  get root(): string {
    return this.#layout.root;
  }

  /** Whether the export has files of a stage. */
  has(stage: Stage): boolean {
    return this.#layout.has(stage);
  }

  /** Calls `take` with each object that stands in a line of a stage's files. A broken file is an error. */
  async each(stage: Stage, take: (value: Record<string, never>, place: string) => void): Promise<void> {
    const isFirst = stage === 'schemas';
    await this.#read(stage, take, isFirst);
    if (!isFirst) return;
    if (this.#layout.findRoot(this.#path)) await this.#read(stage, take, false);
    this.#layout.noteForeign(this.#problems);
  }

  async #read(
    stage: Stage,
    take: (value: Record<string, never>, place: string) => void,
    notesNames: boolean,
  ): Promise<void> {
    const isPart = (name: string) => {
      if (notesNames) this.#layout.note(name);
      return this.#layout.isPart(name, stage) || (stage === 'schemas' && this.#layout.isMetadata(name));
    };
    const mostBytes = stage === 'schemas' ? limits.definitionBytes : limits.unpackedBytes;
    for await (const { name, content } of exportFiles(this.#path, isPart, mostBytes)) {
      if (this.#layout.isMetadata(name)) {
        this.#version = await versionIn(content);
        continue;
      }
      try {
        for await (const lines of jsonLines(content)) {
          for (const { line, value } of lines) {
            const place = `${name}:${line}`;
            if (typeof value === 'object' && value !== null) take(value as Record<string, never>, place);
            else this.#problems.add(place, `expected an object, not ${preview(value)}`);
          }
        }
      } catch (error) {
        if (!(error instanceof BrokenFile)) throw error;
        this.#problems.add(name, error.message);
      }
    }
  }
}
