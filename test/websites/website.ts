import type { StrapiProject } from './strapi-project.ts';

/** A public project: a Strapi server and the website that reads from it. */
export interface Website {
  readonly name: string;
  /** owner/name on GitHub. */
  readonly repository: string;
  /** Folder of the Strapi project in the repository. */
  readonly server: string;
  /** An export in the repository that fills the project. */
  readonly seed?: string;
  /** Fills the project with content. `checkout` is the repository's folder. */
  fill(project: StrapiProject, checkout: string): Promise<void>;
  /** Folder of the website in the repository. */
  readonly client: string;
  /** Changes the installed website so that it runs without the network. */
  prepare?(client: string): void;
  /** The website's development server, reading from `api`. */
  command(port: number, api: string): { args: string[]; environment: Record<string, string> };
  /** Pages to compare, by path. */
  pages(api: string): Promise<string[]>;
  /** Texts that say that a page failed, though its status may be 200. */
  readonly failures: readonly string[];
}

/** The texts of an attribute in all entries of a type. */
export async function textsOf(api: string, type: string, attribute: string): Promise<string[]> {
  const response = await fetch(`${api}/api/${type}?fields[0]=${attribute}&pagination[pageSize]=100`);
  const { data } = (await response.json()) as { data: Record<string, string>[] };
  return data.map((entry) => entry[attribute]).filter(Boolean);
}
