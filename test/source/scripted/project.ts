import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../support/folders.ts';
import { thingSnapshot } from '../../support/guide.ts';

/** Flags of Node for a process that reads folders in place of Strapi projects. */
export const scriptedReaders = `--import ${fileURLToPath(new URL('./use.mjs', import.meta.url))}`;

/** The folder of a project whose content and changes a test writes. */
export class ScriptedProject {
  readonly folder = join(temporaryFolder(), 'my-strapi');
  #changes = 0;

  /** Its content is a thing with the documentId "one". */
  constructor(title: string) {
    mkdirSync(this.folder);
    this.#write('package.json', { dependencies: { '@strapi/strapi': '5.54.0' } });
    this.content(title);
  }

  /** Writes what a reading of everything gives. */
  content(title: string): void {
    this.#write('content.json', thingSnapshot({ title: { type: 'string' } }, [{ documentId: 'one', title }]));
  }

  /** Takes away the content. It cannot be read then. */
  remove(): void {
    rmSync(join(this.folder, 'content.json'));
  }

  /** Tells a batch that gives the thing a title, and writes the content that it leads to. */
  change(title: string): void {
    this.content(title);
    const entity = { type: 'api::thing.thing', id: 1, data: { documentId: 'one', title } };
    this.tell({ kind: 'batch', batch: { entities: [entity], links: [] }, readAt: Date.now() });
  }

  /** Writes the next result of the reader. */
  tell(result: object): void {
    this.#write(`${this.#changes++}.json`, result);
  }

  #write(name: string, value: unknown): void {
    const path = join(this.folder, name);
    // a reader sees the whole file
    writeFileSync(`${path}.part`, JSON.stringify(value));
    renameSync(`${path}.part`, path);
  }
}
