/** Locates the files of a Strapi export in an archive or folder, and finds foreign files. */
import { SnapshotError } from '../../core/errors.ts';
import type { Problems } from '../../core/problems.ts';

export type Stage = 'schemas' | 'entities' | 'links' | 'configuration';

const stageFile = /^(.*\/)?(schemas|entities|links|configuration)\/[^/]+\.jsonl$/;
const otherPart = /(^|\/)(metadata\.json$|assets\/)/;

/** Layout of an export, derived from the names of all files. The export may be in a subfolder. */
export class ExportLayout {
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
