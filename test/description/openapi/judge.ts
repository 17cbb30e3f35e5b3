import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { strapiErrors } from '../../../src/query/strapi/errors.ts';
import { parseQuery } from '../../../src/query/syntax/parse.ts';

/** Judges requests and replies by an OpenAPI document, as a strict gateway would. */

export type Document = Record<string, any>;

const limits = { arrayLimit: 100, depth: 20, parameters: 1000 };

export class Judge {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Document) {
    this.#document = closeEntries(structuredClone(document));
    this.#ajv.addSchema(this.#document, 'document');
  }

  /** Returns the template of a path below the prefix, or null. */
  templateOf(path: string): string | null {
    const parts = path.split('/');
    const fits = (template: string) => {
      const names = template.split('/');
      return names.length === parts.length && names.every((name, i) => name.startsWith('{') || name === parts[i]);
    };
    const { paths } = this.#document;
    return paths[path] ? path : (Object.keys(paths).find(fits) ?? null);
  }

  /**
   * Returns what is wrong with the query string of a request. Parameters that the document lacks are ignored, as in the
   * dialect `strapi`, unless `isClosed`.
   */
  faultsOfQuery(template: string, text: string, { isClosed = false } = {}): string[] {
    const query = parseQuery(text, limits, strapiErrors);
    const { parameters } = this.#document.paths[template].get;
    const known = parameters.map(({ name }: { name: string }) => name);
    const strangers = isClosed ? Object.keys(query).filter((name) => !known.includes(name)) : [];
    const faults = Object.entries(query).flatMap(([name, value]) => {
      const index = known.indexOf(name);
      return index < 0 ? [] : this.#faults(['paths', template, 'get', 'parameters', index, 'schema'], value, name);
    });
    return [...strangers.map((name) => `${name}: no such parameter`), ...faults];
  }

  /** Returns what is wrong with the body of a reply. */
  faultsOfReply(template: string, status: number, body: unknown): string[] {
    const response = this.#document.paths[template].get.responses[status];
    if (!response) return [`${template}: no reply has the status ${status}`];
    const own = ['paths', template, 'get', 'responses', status];
    const place = response.$ref ? response.$ref.slice(2).split('/') : own;
    return this.#faults([...place, 'content', 'application/json', 'schema'], body, `${status}`);
  }

  /** Returns what is wrong with a value by the schema of a name in `components`. */
  faultsOf(name: string, value: unknown): string[] {
    return this.#faults(['components', 'schemas', name], value, name);
  }

  #faults(place: readonly (string | number)[], value: unknown, what: string): string[] {
    const pointer = place.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    let validate = this.#validators.get(pointer);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `document#${encodeURI(pointer)}` });
      this.#validators.set(pointer, validate);
    }
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message }) => `${what}${instancePath}: ${message}`);
  }
}

/** Closes every entry of a reply, so that an attribute without a description is a fault. */
function closeEntries(document: Document): Document {
  const { schemas } = document.components;
  const isEntry = (name: string) => schemas[name]?.required?.includes('id');
  const close = (value: any, isPart: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    const [, name] = /^#\/components\/schemas\/(.*)$/.exec(value.$ref) ?? [];
    if (!isPart && ((name !== undefined && isEntry(name)) || value.allOf)) value.unevaluatedProperties = false;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'allOf') for (const part of inner as unknown[]) close(part, true);
      else close(inner, false);
    }
  };
  close(document, false);
  return document;
}
