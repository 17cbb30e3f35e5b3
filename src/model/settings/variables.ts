import type { z } from 'zod';
import { readJsonInSteps } from '../../core/json-reader.ts';
import { runAtOnce } from '../../core/steps.ts';
import { nearestName } from '../../core/suggest.ts';

/** Reads settings from environment variables. The variables are derived from the schema of the settings. */

const variablePrefix = 'LECTERN_';

/** A variable for one setting or, as JSON, for a group of settings. */
interface Variable {
  readonly name: string;
  /** The path of the setting in a config file. */
  readonly path: readonly string[];
  readonly schema: z.core.$ZodType;
}

/** A variable that is set, with its parsed value. */
interface VariableSetting extends Variable {
  readonly value: unknown;
}

/** Common names without the prefix. The prefixed name of the same setting takes precedence. */
const shortNames = new Map([
  ['PORT', 'LECTERN_PORT'],
  ['HOST', 'LECTERN_HOST'],
  ['ADMIN_PORT', 'LECTERN_ADMIN_PORT'],
  ['LOG_LEVEL', 'LECTERN_LOG_LEVEL'],
  ['JWT_SECRET', 'LECTERN_JWT_SECRET'],
]);

/**
 * Prefixed variables that are not settings. The tokens are for `lectern pin`, and for a Strapi whose content is served. Those of
 * a Redis and of images are read where a publication is opened.
 */
const otherNames = [
  'LECTERN_CONFIG',
  'LECTERN_DEFAULTS',
  'LECTERN_COMMIT',
  'LECTERN_ADMIN_TOKEN',
  'LECTERN_SOURCE_TOKEN',
  'LECTERN_REDIS_USERNAME',
  'LECTERN_REDIS_PASSWORD',
  'LECTERN_REDIS_PASSWORD_FILE',
  'LECTERN_REDIS_CA_FILE',
  'LECTERN_IMAGES_TOKEN',
  'LECTERN_IMAGES_TOKEN_FILE',
];

/**
 * Variables that Kubernetes sets in every container for a service named `lectern` or `lectern-…`: LECTERN_SERVICE_HOST,
 * LECTERN_PORT=tcp://10.0.0.1:1337, LECTERN_PORT_1337_TCP_ADDR and so on.
 */
const serviceName = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/;
const serviceAddress = /^(tcp|udp|sctp):\/\//;

/** Returns the variables of all settings and groups in a schema, such as LECTERN_BUDGETS_STEPS for `budgets.steps`. */
export function variablesOf(schema: z.core.$ZodType, path: readonly string[] = []): Variable[] {
  const plain = unwrap(schema);
  const own = path.length === 0 ? [] : [{ name: variableName(path), path, schema: plain }];
  if (!isObject(plain)) return own;
  const fields = Object.entries(plain._zod.def.shape).filter(([key]) => !key.startsWith('$'));
  return [...own, ...fields.flatMap(([key, field]) => variablesOf(field, [...path, key]))];
}

/**
 * Returns the settings of an environment, each group before its members. Empty variables count as unset, because
 * container files pass on unset variables as empty ones. Values of the wrong type are returned as text, for the schema
 * to reject. Unknown names with the prefix are problems.
 */
export function readVariables(
  variables: readonly Variable[],
  environment: NodeJS.ProcessEnv,
): { settings: VariableSetting[]; problems: string[] } {
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const settings: VariableSetting[] = [];
  const problems: string[] = [];
  const add = (name: string, variable: Variable, text: string) => {
    try {
      settings.push({ ...variable, name, value: parseValue(variable.schema, text) });
    } catch {
      problems.push(`${name}: must be JSON: ${jsonFault(text)}`);
    }
  };
  for (const [shortName, name] of shortNames) {
    const variable = byName.get(name);
    const text = environment[shortName];
    if (text && variable) add(shortName, variable, text);
  }
  const groupsFirst = (a: [string, string], b: [string, string]) => depthOf(byName, a[0]) - depthOf(byName, b[0]);
  const set = Object.entries(environment).filter((entry): entry is [string, string] => Boolean(entry[1]));
  for (const [name, text] of set.sort(groupsFirst)) {
    if (!name.startsWith(variablePrefix) || otherNames.includes(name) || isServiceVariable(name, text)) continue;
    const variable = byName.get(name);
    if (variable) add(name, variable, text);
    else problems.push(`${name}: no such setting${suggestion(name, [...byName.keys(), ...otherNames])}`);
  }
  return { settings, problems };
}

/** Returns why a text is not JSON. Does not quote the text, which may be a secret. */
function jsonFault(text: string): string {
  const { error } = runAtOnce(readJsonInSteps(Buffer.from(text), { mayHoldSecrets: true }));
  return error?.message ?? 'the text is malformed';
}

function depthOf(byName: Map<string, Variable>, name: string): number {
  return byName.get(name)?.path.length ?? 0;
}

function isServiceVariable(name: string, text: string): boolean {
  return serviceName.test(name) || (name.endsWith('_PORT') && serviceAddress.test(text));
}

function suggestion(name: string, names: readonly string[]): string {
  const withoutPrefix = (text: string) => text.slice(variablePrefix.length);
  const nearest = nearestName(withoutPrefix(name), names.map(withoutPrefix));
  return nearest === null ? '' : ` (did you mean ${variablePrefix}${nearest}?)`;
}

/** Returns LECTERN_RATE_LIMIT_TOKEN_REQUESTS for `rateLimit.tokenRequests`. */
function variableName(path: readonly string[]): string {
  const words = path.map((key) => key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return variablePrefix + words.join('_');
}

/** Parses the text of a variable by the type of its setting. Throws a SyntaxError if it must be JSON and is not. */
export function parseValue(schema: z.core.$ZodType, text: string): unknown {
  const { def } = unwrap(schema)._zod as z.core.$ZodTypes['_zod'];
  switch (def.type) {
    case 'number':
      return /^\s*-?\d+(\.\d+)?\s*$/.test(text) ? Number(text) : text;
    case 'boolean':
      return booleans.get(text.trim().toLowerCase()) ?? text;
    case 'array':
      if (/^\s*\[/.test(text) || !isListItem(def.element)) return JSON.parse(text);
      return text.split(',').map((item) => parseValue(def.element, item.trim()));
    case 'object':
    case 'record':
    case 'tuple':
      return JSON.parse(text);
    case 'union':
      return parseUnion(def.options, text);
    default:
      return text;
  }
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Returns the value of the first option that accepts the text. Tries plain text last, because it accepts any value. */
function parseUnion(options: readonly z.core.$ZodType[], text: string): unknown {
  const isText = (option: z.core.$ZodType) => Number(unwrap(option)._zod.def.type === 'string');
  for (const option of [...options].sort((a, b) => isText(a) - isText(b))) {
    try {
      const value = parseValue(option, text);
      if ((option as z.ZodType).safeParse(value).success) return value;
    } catch {
      // not JSON: try the next option
    }
  }
  return text;
}

/** Whether values of this type can be items of a comma-separated list. */
function isListItem(schema: z.core.$ZodType): boolean {
  return !['array', 'object', 'record', 'tuple', 'union'].includes(unwrap(schema)._zod.def.type);
}

/** Returns the schema inside wrappers such as optional, default and transform. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = def.innerType ?? def.in;
  return inner ? unwrap(inner) : schema;
}

function isObject(schema: z.core.$ZodType): schema is z.core.$ZodObject {
  return schema._zod.def.type === 'object';
}
