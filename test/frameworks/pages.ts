/** The pages of a site, and when each was made. */
export interface MadePage {
  readonly status: number;
  /** The time that the page prints. A page without an article has none. */
  readonly mark: string;
  readonly text: string;
}

export class Pages {
  readonly #address: string;
  readonly #paths: string[];
  #made = new Map<string, MadePage>();

  constructor(address: string, paths: readonly string[]) {
    this.#address = address;
    this.#paths = [...paths];
  }

  /** Reads all pages. Returns the paths of those that differ from the last time, in order. */
  async remade(): Promise<string[]> {
    const before = this.#made;
    this.#made = new Map();
    for (const path of this.#paths) this.#made.set(path, await this.#read(path));
    return this.#paths.filter((path) => before.get(path)?.mark !== this.#made.get(path)!.mark);
  }

  /** The page as it was read last. */
  at(path: string): MadePage {
    return this.#made.get(path)!;
  }

  async #read(path: string): Promise<MadePage> {
    const response = await fetch(this.#address + path);
    const text = (await response.text()).replaceAll('<!-- -->', '');
    const time = /(?:Read|Made) at ([\d-]+T[\d:.]+Z)/.exec(text)?.[1];
    return { status: response.status, mark: time ?? 'none', text };
  }
}
