/** Where the files of a Strapi export stand in an archive or folder, and which of the others are foreign. */
import { SnapshotError } from '../../base/errors.ts';
import type { Problems } from '../../base/problems.ts';

export type Stage = 'schemas' | 'entities' | 'links' | 'configuration';

const stageFile = /^(.*\/)?(schemas|entities|links|configuration)\/[^/]+\.jsonl$/;
const otherPart = /(^|\/)(metadata\.json$|assets\/)/;

/** Files that operating systems add: AppleDouble files, `.DS_Store` and the like. They are passed over without a word. */
export function isSystemFile(name: string): boolean {
  return /(^|\/)(\.|__MACOSX(\/|$))/.test(name);
}

/** Learns from the names of all files. An export may stand in a folder of its own inside the archive. */
export class ExportLayout {
  #root = '';
  /** The stages that have files, by the folder that they stand in. */
  readonly #stages = new Map<string, Set<string>>();
  readonly #others = new Set<string>();

  /** The folder that the export stands in, with a slash at its end; empty for none. */
  get root(): string {
    return this.#root;
  }

  /** Notes a file, whatever it is. */
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

  /** Whether files of a stage have been noted. */
  has(stage: Stage): boolean {
    return this.#stages.get(this.#root)?.has(stage) === true;
  }

  /** Finds the folder with the schemas; false if it is where it was looked for, or nowhere. */
  findRoot(path: string): boolean {
    if (this.has('schemas')) return false;
    const roots = Array.from(this.#stages.keys()).filter((root) => this.#stages.get(root)!.has('schemas'));
    if (roots.length > 1) throw new SnapshotError([`${path}: it holds several exports: ${roots.sort().join(', ')}`]);
    this.#root = roots[0] ?? '';
    return roots.length === 1;
  }

  /** Notes the files that are no part of the export. */
  noteForeign(problems: Problems): void {
    const elsewhere = Array.from(this.#stages.keys()).filter((root) => root !== this.#root);
    for (const name of [...elsewhere, ...this.#others]) {
      problems.tolerate('foreign-file', name, 'is no part of a Strapi export');
    }
  }
}
