/** A shape of content that is generated for the benchmarks, by a module of `data/generator`. */
export interface Content {
  name: string;
  title: string;
  /** The content type that most queries ask for, by its singular name. */
  main: string;
  /** Default number of entries, all types together. */
  entries: number;
  /** The same entries and seed write the same bytes. */
  write(folder: string, entries: number, seed: number): unknown;
}
