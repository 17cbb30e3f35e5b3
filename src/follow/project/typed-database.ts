import { isDeepStrictEqual } from 'node:util';
import { warning } from '../../core/problems.ts';
import { type DatabaseLocation, nameOfLocation } from '../../load/database/location.ts';
import { fileSignature } from '../../load/files.ts';
import { loadSnapshot } from '../../load/load.ts';
import type { ProjectInput } from '../../load/project/project-files.ts';
import type { ComponentFile, StrapiProject } from '../../load/project/project-folder.ts';
import { isAddress } from '../addresses.ts';
import { secretsOfEnvironment } from '../environment-secrets.ts';
import { type DefinitionLine, definitionsOf, readDefinitions } from '../rest/read-definitions.ts';
import { StrapiClient } from '../rest/strapi-client.ts';
import type { DatabaseSource } from '../source-reader.ts';

/** Milliseconds after which the components are read again. */
const readInterval = 60_000;

/** Where components are, and the version of the Strapi that has them, null if it is not known. */
interface FoundTypes {
  readonly definitions: readonly DefinitionLine[];
  readonly strapiVersion: string | null;
}

/** A database without the folder of its project. An export or a Strapi at an address has its components. */
export class TypedDatabase implements ProjectInput {
  readonly #database: DatabaseLocation;
  readonly #source: DatabaseSource;
  readonly #environment: NodeJS.ProcessEnv;
  #project: StrapiProject | null = null;
  /** The file with the types when it was read. */
  #signature = '';
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(database: DatabaseLocation, source: DatabaseSource, environment = process.env) {
    this.#database = database;
    this.#source = source;
    this.#environment = environment;
  }

  get name(): string {
    return nameOfLocation(this.#database);
  }

  /** Returns the components that are known where they cannot be read again. */
  async read(): Promise<StrapiProject> {
    if (performance.now() - this.#readAt < readInterval) return this.#project!;
    try {
      const project = await this.#readChanged();
      if (!isDeepStrictEqual(project, this.#project)) this.#project = project;
    } catch (error) {
      if (!this.#project) throw error;
    }
    this.#readAt = performance.now();
    return this.#project!;
  }

  /** The components need no look while the database cannot be read. */
  async readNow(): Promise<StrapiProject> {
    return this.#project ?? this.#readChanged();
  }

  lookAgain(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** An export may be large, so it is read again only if its file differs. */
  async #readChanged(): Promise<StrapiProject> {
    const { types } = this.#source;
    if (isAddress(types)) return this.#projectOf(await this.#ask(types));
    const signature = JSON.stringify(await fileSignature(types));
    if (this.#project && signature === this.#signature) return this.#project;
    const { types: definitions, strapiVersion = null } = await loadSnapshot(types);
    const project = this.#projectOf({ definitions: definitionsOf(definitions), strapiVersion });
    this.#signature = signature;
    return project;
  }

  async #ask(url: string): Promise<FoundTypes> {
    const client = await StrapiClient.open({ url, token: this.#source.token ?? undefined });
    return { definitions: await readDefinitions(client), strapiVersion: null };
  }

  #projectOf({ definitions, strapiVersion }: FoundTypes): StrapiProject {
    const { types } = this.#source;
    return {
      folder: this.name,
      strapiVersion,
      database: this.#database,
      configurations: [],
      components: definitions.flatMap((definition) => componentOf(definition, types)),
      privateAttributes: [],
      uploads: null,
      secrets: secretsOfEnvironment(this.#environment),
      warnings: [warning('unread-setting', `${types}: ${unknownPrivacy}`)],
    };
  }
}

const unknownPrivacy =
  'what responses.privateAttributes of config/api hides is not known without the folder of the project, so it is served; give the folder with --types if it hides something';

function componentOf(definition: DefinitionLine, types: string): ComponentFile[] {
  const { uid, modelType, modelName } = definition;
  if (modelType !== 'component') return [];
  const name = typeof modelName === 'string' ? modelName : uid.slice(uid.indexOf('.') + 1);
  return [{ uid, name, path: `${types}, component ${uid}`, definition, problem: null }];
}
