import type { Problems } from '../../core/problems.ts';
import type { EntryType } from '../../model/schema/schema.ts';
import type { StoreBuilder } from '../../store/writer/store-builder.ts';
import { EntryWriter, type RowHandle, storeSink } from '../entry-writer.ts';
import { BrokenFile } from '../parse/broken-file.ts';
import { EntryVersions } from './entry-version.ts';
import { References } from './references.ts';

/** Reads the entries of all content types, one type at a time. */
export class EntryReader {
  readonly references: References;
  readonly #problems: Problems;
  readonly #versions: EntryVersions;
  readonly #writer: EntryWriter<RowHandle>;

  constructor(builder: StoreBuilder, problems: Problems, defaultLocale: string, locales: ReadonlySet<string>) {
    this.#problems = problems;
    this.#versions = new EntryVersions(problems, defaultLocale, locales);
    const references = new References(builder, problems);
    this.references = references;
    const sink = { ...storeSink(builder), addReference: references.add.bind(references) };
    this.#writer = new EntryWriter(sink, problems);
  }

  get blockedUsers(): ReadonlySet<string> {
    return this.#writer.blockedUsers;
  }

  async read(type: EntryType, location: string, batches: () => AsyncIterable<unknown[]>): Promise<void> {
    try {
      let position = 0;
      for await (const batch of batches()) {
        for (const entry of batch) this.#add(type, entry, location, position++);
      }
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      this.#problems.add(location + error.location, error.message);
      // references to entries after the error are not mistakes
      this.references.suppressMissing(type);
    }
  }

  #add(type: EntryType, entry: unknown, file: string, position: number): void {
    const version = this.#versions.read(type, entry, {
      unnamed: () => `${file}, entry [${position}]`,
      named: (documentId, label) => `${file}, entry ${documentId}${label}`,
    });
    if (!version) return;
    const { documentId, published, locale, values, location, label } = version;
    this.references.addEntry({ type, published, locale, location: file, label }, documentId, location);
    this.#writer.add(type, values, published, location);
  }
}
